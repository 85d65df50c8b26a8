import type { Principal } from '../request/exchange.ts';
import type { IncomingRequest } from '../request/incoming.ts';

/**
 * The principal that credentials belong to; `undefined` if they are not valid. An outage is thrown, never answered with
 * `undefined`: valid credentials must not look invalid because a key server is down.
 */
export type Authenticated<P extends Principal = Principal> = P | undefined | Promise<P | undefined>;

/**
 * Continues with a value, at once if it is not a promise. An await would cost a turn of the microtask queue even then, and
 * by the next turn Node has buffered the body of the request instead of passing it on: that costs more than all of
 * authentication.
 */
export const andThen = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Logs why credentials are invalid. No client sees the reason; it must not repeat a secret. */
export type Explain = (reason: string) => void;

/** Checks the tokens of an http bearer scheme. */
export interface BearerAuthenticator<P extends Principal = Principal> {
  readonly type: 'bearer';
  readonly authenticate: (token: string, explain?: Explain) => Authenticated<P>;
}

/** Checks the names and passwords of an http basic scheme. */
export interface BasicAuthenticator<P extends Principal = Principal> {
  readonly type: 'basic';
  readonly authenticate: (name: string, password: string, explain?: Explain) => Authenticated<P>;
}

/** Checks the keys of an apiKey scheme, wherever they are sent. */
export interface ApiKeyAuthenticator<P extends Principal = Principal> {
  readonly type: 'apiKey';
  readonly authenticate: (key: string, explain?: Explain) => Authenticated<P>;
}

/** The result of examining a request: a principal, `absent` without credentials, `undefined` if they are invalid. */
export type Finding<P extends Principal = Principal> = P | 'absent' | undefined;

/**
 * Checks whole requests, before their bodies are read: signatures, sessions of middleware, certificates that a proxy has
 * checked. It takes over a scheme of any type, those that the service cannot check by itself included.
 */
export interface RequestAuthenticator<P extends Principal = Principal> {
  readonly type: 'request';
  /** The challenge in the `WWW-Authenticate` header of a 401, such as `HMAC-SHA256`; no header if not given. */
  readonly challenge?: string | ((request: IncomingRequest) => string);
  readonly authenticate: (request: IncomingRequest, explain: Explain) => Finding<P> | Promise<Finding<P>>;
}

/** An authenticator for a security scheme. `P` is who it finds: add what handlers need, such as the id of a user. */
export type Authenticator<P extends Principal = Principal> =
  | BearerAuthenticator<P>
  | BasicAuthenticator<P>
  | ApiKeyAuthenticator<P>
  | RequestAuthenticator<P>;

/** Authenticators for the security schemes of the document, by their names there. */
export type Authenticators<P extends Principal = Principal> = Readonly<
  Record<string, Authenticator<P> | undefined>
>;
