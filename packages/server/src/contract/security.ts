/** Who sent a request, and what they may do. */
export interface Principal {
  /** The name of their token. */
  readonly name: string;
  /** The scopes and roles that they have. `*` stands for every scope that the contract asks for. */
  readonly scopes: readonly string[];
}

/**
 * The principal that credentials belong to; `undefined` if they are not valid. An outage is thrown, never answered with
 * `undefined`: valid credentials must not look invalid because a key server is down.
 */
export type Verdict = Principal | undefined | Promise<Principal | undefined>;

/**
 * Continues with a value, at once if it is not a promise. An await would cost a turn of the microtask queue even then, and
 * by the next turn Node has buffered the body of the request instead of passing it on: that costs more than all of
 * authentication.
 */
export const andThen = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Tells the log why credentials are not valid. No client sees the reason; it must not repeat a secret. */
export type Explain = (reason: string) => void;

/** Checks the tokens of an http bearer scheme. */
export interface BearerAuthenticator {
  readonly type: 'bearer';
  readonly authenticate: (token: string, explain?: Explain) => Verdict;
}

/** Checks the names and passwords of an http basic scheme. */
export interface BasicAuthenticator {
  readonly type: 'basic';
  readonly authenticate: (name: string, password: string, explain?: Explain) => Verdict;
}

/** Checks the keys of an apiKey scheme, wherever they are sent. */
export interface ApiKeyAuthenticator {
  readonly type: 'apiKey';
  readonly authenticate: (key: string, explain?: Explain) => Verdict;
}

/** An authenticator for a security scheme. */
export type Authenticator = BearerAuthenticator | BasicAuthenticator | ApiKeyAuthenticator;

/** An authenticator for each security scheme of the document, by its name there. */
export type Authenticators = Readonly<Record<string, Authenticator>>;
