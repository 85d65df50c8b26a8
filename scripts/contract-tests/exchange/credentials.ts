import type { Operation, Scheme } from '../document/operations.ts';
import type { Reveal } from '../requests/draft.ts';
import { shellVariable } from './curl.ts';

/** What a caller can prove. */
export interface Credentials {
  readonly token?: string | undefined;
  /** `user:password`. */
  readonly basic?: string | undefined;
  /** By the name of the header, query parameter or cookie, or by that of the scheme. */
  readonly apiKeys?: Readonly<Record<string, string>> | undefined;
}

const realOf = (
  { token, basic, apiKeys = {} }: Credentials,
  { type, name, key }: Scheme,
): string | undefined => {
  if (type === 'bearer') return token;
  if (type === 'basic') return basic === undefined ? undefined : Buffer.from(basic).toString('base64');
  return type === 'apiKey' ? (apiKeys[key] ?? apiKeys[name]) : undefined;
};

/** The request for the service: with the real ones. */
export const revealFor =
  (credentials: Credentials): Reveal =>
  ({ scheme, text }) => {
    const real = realOf(credentials, scheme) ?? '';
    return text ?? (scheme.in === 'query' ? encodeURIComponent(real) : real);
  };

const variableOf = ({ type, key }: Scheme): string => {
  if (type === 'apiKey') return key.toUpperCase().replace(/\W+/g, '_');
  return type === 'basic' ? 'BASIC' : 'TOKEN';
};

/** The request for people: no secret is shown. */
export const conceal: Reveal = ({ scheme, text }) => text ?? shellVariable(variableOf(scheme));

/** Two that would both have the Authorization field cannot be sent together. */
const canSend = (schemes: readonly Scheme[]): boolean =>
  schemes.filter(({ type }) => type !== 'apiKey').length <= 1;

/** The alternatives of an operation that these credentials satisfy. */
export const satisfied = ({ security }: Operation, credentials: Credentials): (readonly Scheme[])[] =>
  security.filter(
    (schemes) => canSend(schemes) && schemes.every((scheme) => realOf(credentials, scheme) !== undefined),
  );

const flagFor = ({ type, name, key }: Scheme): string => {
  if (type === 'bearer') return '--token TOKEN';
  if (type === 'basic') return '--basic USER:PASSWORD';
  return type === 'apiKey' ? `--api-key ${key}=VALUE` : `${name}, which this command cannot prove`;
};

/** What is missing for an operation; nothing where it can be called. */
export const missingFor = (operation: Operation, credentials: Credentials): string | undefined => {
  if (operation.security.length === 0 || satisfied(operation, credentials).length > 0) return undefined;
  const ways = operation.security.map((schemes) => schemes.map(flagFor).join(' '));
  return `${operation.id} needs credentials: ${[...new Set(ways)].join(', or ')}`;
};
