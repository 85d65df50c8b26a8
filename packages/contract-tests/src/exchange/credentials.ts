import type { Operation, Scheme } from '../document/operations.ts';
import type { SecretOf } from '../requests/call.ts';

/** Matches a placeholder in a text. */
export const MARKED = /\u{f0000}([^\u{f0001}]+)\u{f0001}/gu;

/** A placeholder for a secret, printed as `$TOKEN`. The name may be an expression: `${TOKEN%?}`. */
export const shellVariable = (name: string): string => `\u{f0000}${name}\u{f0001}`;

/** Formats a variable or an expression for the shell. */
export const toShell = (marked: string): string => (/^\w+$/.test(marked) ? `$${marked}` : marked);

/** The credentials for the service. */
export interface Credentials {
  /** For http bearer, oauth2 and openIdConnect. */
  readonly token?: string | undefined;
  /** For http basic: `user:password`. */
  readonly basic?: string | undefined;
  /** For apiKey, by the name of the header, query parameter or cookie, or by the name of the scheme. */
  readonly apiKeys?: Readonly<Record<string, string>> | undefined;
}

const realOf = (
  { token, basic, apiKeys = {} }: Credentials,
  { type, name, key }: Scheme,
): string | undefined => {
  if (type === 'bearer') return token;
  if (type === 'basic') return basic;
  return type === 'apiKey' ? (apiKeys[key] ?? apiKeys[name]) : undefined;
};

/** Fills in the real credentials, for requests that are sent. */
export const createSecretOf =
  (credentials: Credentials): SecretOf =>
  ({ scheme, text, of = scheme, change }) => {
    if (text !== undefined) return text;
    const real = realOf(credentials, of);
    if (real === undefined) return '';
    const changed = change ? change.apply(real) : real;
    const sent = of.type === 'basic' ? Buffer.from(changed).toString('base64') : changed;
    return scheme.in === 'query' ? encodeURIComponent(sent) : sent;
  };

const variableNamed = (name: string): string => name.toUpperCase().replace(/\W+/g, '_');

const variableOf = ({ type, key }: Scheme): string => {
  if (type === 'apiKey') return variableNamed(key);
  return type === 'basic' ? 'BASIC' : 'TOKEN';
};

/** Fills in names of variables, for requests that are shown to people. */
export const shellSecretOf: SecretOf = ({ scheme, text, of = scheme, change }) => {
  if (text !== undefined) return text;
  const variable = variableOf(of);
  if (!change) return shellVariable(variable);
  const changed = change.shell(variable);
  return shellVariable(of.type === 'basic' ? `$(printf %s "${changed}" | base64 | tr -d '\\n')` : changed);
};

/** Whether one Authorization header can carry all schemes of an alternative. */
const canSend = (schemes: readonly Scheme[]): boolean =>
  schemes.filter(({ type }) => type !== 'apiKey').length <= 1;

/** The security alternatives that these credentials satisfy. */
export const satisfied = ({ security }: Operation, credentials: Credentials): (readonly Scheme[])[] =>
  security.filter(
    (schemes) => canSend(schemes) && schemes.every((scheme) => realOf(credentials, scheme) !== undefined),
  );

const flagFor = ({ type, name, key }: Scheme): string => {
  if (type === 'bearer') return '--token TOKEN';
  if (type === 'basic') return '--basic USER:PASSWORD';
  return type === 'apiKey' ? `--api-key ${key}=VALUE` : `${name}, which this command does not support`;
};

/** Whether every alternative of an operation needs a scheme that this command does not support. */
export const isOutOfReach = ({ security }: Operation): boolean =>
  security.length > 0 &&
  security.every((schemes) => !canSend(schemes) || schemes.some(({ type }) => type === 'other'));

/** Describes the credentials that an operation lacks; `undefined` if it can be called. */
export const missingFor = (operation: Operation, credentials: Credentials): string | undefined => {
  if (operation.security.length === 0 || satisfied(operation, credentials).length > 0) return undefined;
  const ways = operation.security.map((schemes) => schemes.map(flagFor).join(' '));
  return `${operation.id} needs credentials: ${[...new Set(ways)].join(', or ')}`;
};

/** A header that is sent with every request. */
export type Header = readonly [name: string, value: string];

const LOOKS_SECRET = /auth|token|key|secret|password|cookie|session|credential|signature/i;

const isSecret = ([name]: Header): boolean => LOOKS_SECRET.test(name);

/** Replaces the value of a header that looks like a credential by a variable. */
export const concealHeader = (header: Header): Header =>
  isSecret(header) ? [header[0], shellVariable(variableNamed(header[0]))] : header;

/** Shorter values are not redacted: they may occur in any text. */
const SHORTEST = 6;

const secretsOf = ({ token, basic, apiKeys = {} }: Credentials, headers: readonly Header[]): Header[] =>
  [
    ['TOKEN', token ?? ''],
    ['BASIC', basic ?? ''],
    ['BASIC', basic === undefined ? '' : Buffer.from(basic).toString('base64')],
    ['PASSWORD', basic?.slice(basic.indexOf(':') + 1) ?? ''],
    ...Object.entries(apiKeys).map(([name, key]) => [variableNamed(name), key] as const),
    ...headers.filter(isSecret).map(([name, value]) => [variableNamed(name), value] as const),
  ] satisfies Header[];

/** Creates a function that redacts secrets, which a service may have repeated. */
export const createRedact = (credentials: Credentials, headers: readonly Header[] = []) => {
  const secrets = secretsOf(credentials, headers)
    .flatMap(([name, value]): Header[] => [
      [name, value],
      [name, encodeURIComponent(value)],
    ])
    .filter(([, value]) => value.length >= SHORTEST)
    // Longest first: a secret may contain another one.
    .sort(([, one], [, other]) => other.length - one.length);
  return (text: string): string =>
    secrets.reduce((shown, [name, value]) => shown.replaceAll(value, () => `$${name}`), text);
};
