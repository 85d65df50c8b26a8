import type { Alternative, NamedScheme } from '../contract/security.ts';

/** How the service responded to a credential. */
export type CredentialState = 'untried' | 'accepted' | 'refused';

/** The input for a security scheme. */
export interface Credential {
  /** The name that goes with a password; empty for tokens and keys. */
  readonly name: string;
  readonly secret: string;
  readonly verdict: CredentialState;
}

/** Credentials by the names of their schemes. */
export type Credentials = Readonly<Record<string, Credential>>;

/** The storage key. Several services may share an origin, each below another path. */
const KEY = `credentials ${location.pathname}`;

const readStored = (): Credentials => {
  try {
    const stored: Credentials | null = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return stored ?? {};
  } catch {
    return {}; // a browser may forbid storage
  }
};

/** Keeps credentials over a reload of the page. */
export const storeCredentials = (credentials: Credentials): void => {
  try {
    if (Object.keys(credentials).length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(credentials));
  } catch {
    // A browser may forbid storage: the credentials then last as long as the page.
  }
};

/**
 * The token in the fragment of the URL, which browsers never send to a server. It is removed from the URL, so that it
 * is neither copied nor visible there.
 */
const takeToken = (): string | undefined => {
  if (!location.hash.startsWith('#token=')) return undefined;
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  history.replaceState(null, '', location.pathname + location.search);
  return token || undefined;
};

/**
 * The initial credentials: the stored ones, and the token of the URL where none is stored or the stored one was
 * refused. A link must not replace working credentials of its reader.
 */
export const firstCredentials = (schemes: readonly NamedScheme[]): Credentials => {
  const stored = readStored();
  const secret = takeToken();
  if (secret === undefined) return stored;
  const takesToken = ({ name, kind }: NamedScheme): boolean =>
    (kind === 'bearer' || kind === 'apiKey') && (!stored[name]?.secret || stored[name].verdict === 'refused');
  const filled = schemes
    .filter(takesToken)
    .map(({ name }): [string, Credential] => [name, { name: '', secret, verdict: 'untried' }]);
  const credentials = { ...stored, ...Object.fromEntries(filled) };
  storeCredentials(credentials);
  return credentials;
};

/** The first alternative with all credentials; else the first that requires any. */
export const chooseAlternative = (security: readonly Alternative[], credentials: Credentials): Alternative =>
  security.find(
    (alternative) =>
      alternative.length > 0 && alternative.every(({ scheme }) => credentials[scheme.name]?.secret),
  ) ??
  security.find((alternative) => alternative.length > 0) ??
  [];
