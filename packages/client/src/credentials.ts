import type { Operation, Scheme } from './operation.ts';

/** Credentials of a client. Each request carries those that its operation requires. */
export interface Credentials {
  /** For bearer, OAuth 2.0 and OpenID Connect. A function is called before every request and may fetch a new token. */
  readonly token?: string | (() => string | Promise<string>);
  readonly basic?: { readonly name: string; readonly password: string };
  /** One key for every apiKey scheme, or a key for each by the name of the scheme. */
  readonly apiKey?: string | Readonly<Record<string, string>>;
}

/** A header, a query parameter or a cookie that carries a credential. */
interface Credential {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
  readonly value: string;
}

/** A text in UTF-8, a character for each byte, as header fields hold it. */
export const toByteText = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

/** The credentials of http basic: name and password in UTF-8, then base64 (RFC 7617, section 2.1). */
export const writeBasic = (name: string, password: string): string =>
  `Basic ${btoa(toByteText(`${name}:${password}`))}`;

const keyFor = ({ apiKey }: Credentials, scheme: string): string | undefined => {
  if (typeof apiKey !== 'object') return apiKey;
  return Object.hasOwn(apiKey, scheme) ? apiKey[scheme] : undefined;
};

const isThere = (credentials: Credentials, scheme: Scheme): boolean => {
  if (scheme.type === 'apiKey') return keyFor(credentials, scheme.scheme) !== undefined;
  if (scheme.type === 'bearer') return credentials.token !== undefined;
  if (scheme.type === 'basic') return credentials.basic !== undefined;
  return scheme.type === 'none';
};

const write = async (credentials: Credentials, scheme: Scheme): Promise<Credential[]> => {
  if (scheme.type === 'apiKey')
    return [{ in: scheme.in, name: scheme.name, value: keyFor(credentials, scheme.scheme) ?? '' }];
  const { token, basic } = credentials;
  const authorize = (value: string): Credential[] => [{ in: 'header', name: 'authorization', value }];
  if (scheme.type === 'bearer')
    return authorize(`Bearer ${typeof token === 'function' ? await token() : token}`);
  if (scheme.type === 'basic' && basic) return authorize(writeBasic(basic.name, basic.password));
  return [];
};

/**
 * Chooses the first security alternative for which the client has all credentials, and writes them. Without such an
 * alternative the request carries no credentials, and the service replies with its declared error.
 */
export const chooseCredentials = async (
  { security = [] }: Pick<Operation, 'security'>,
  credentials: Credentials,
): Promise<Credential[]> => {
  const chosen = security.find(
    (schemes) => schemes.length > 0 && schemes.every((scheme) => isThere(credentials, scheme)),
  );
  const written = await Promise.all((chosen ?? []).map((scheme) => write(credentials, scheme)));
  return written.flat();
};
