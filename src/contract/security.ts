/** Who sent a request: the name of their token. */
export interface Principal {
  readonly name: string;
}

/**
 * The principal that credentials belong to; `undefined` if they are not valid. An outage is thrown, never answered with
 * `undefined`: valid credentials must not look invalid because a key server is down.
 */
export type Verdict = Principal | undefined | Promise<Principal | undefined>;

/** Checks the tokens of an http bearer scheme. */
export interface BearerAuthenticator {
  readonly type: 'bearer';
  readonly authenticate: (token: string) => Verdict;
}

/** Checks the names and passwords of an http basic scheme. */
export interface BasicAuthenticator {
  readonly type: 'basic';
  readonly authenticate: (name: string, password: string) => Verdict;
}

/** Checks the keys of an apiKey scheme, wherever they are sent. */
export interface ApiKeyAuthenticator {
  readonly type: 'apiKey';
  readonly authenticate: (key: string) => Verdict;
}

/** An authenticator for a security scheme. */
export type Authenticator = BearerAuthenticator | BasicAuthenticator | ApiKeyAuthenticator;

/** An authenticator for each security scheme of the document, by its name there. */
export type Authenticators = Readonly<Record<string, Authenticator>>;
