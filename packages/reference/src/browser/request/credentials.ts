import { isTree, ownMember } from '@trellis/openapi/json';
import type { Alternative, NamedScheme } from '../contract/security.ts';

/** What the service has said of a credential. */
export type Verdict = 'untried' | 'accepted' | 'refused';

/** What somebody has typed for a security scheme. */
export interface Credential {
  /** The name that goes with a password; empty for tokens and keys. */
  readonly name: string;
  readonly secret: string;
  readonly verdict: Verdict;
}

/** Credentials by the names of their schemes. */
export type Credentials = Readonly<Record<string, Credential>>;

/** Several services may share an origin, each below a path of its own. */
const KEY = `credentials ${location.pathname}`;

const VERDICTS: readonly Verdict[] = ['accepted', 'refused'];

const readStored = (): Credentials => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return Object.fromEntries(
      Object.entries(stored ?? {})
        .filter(([, each]) => isTree(each))
        .map(([scheme, each]) => [
          scheme,
          {
            name: String(ownMember(each, 'name') ?? ''),
            secret: String(ownMember(each, 'secret') ?? ''),
            verdict: VERDICTS.find((verdict) => verdict === ownMember(each, 'verdict')) ?? 'untried',
          },
        ]),
    );
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
 * The token in the fragment of the address, which browsers never send to a server. It is taken out of the address, so that
 * nobody copies it or sees it there.
 */
const takeToken = (): string | undefined => {
  if (!location.hash.startsWith('#token=')) return undefined;
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  history.replaceState(null, '', location.pathname + location.search);
  return token || undefined;
};

/** A token that came with the address, for the schemes that take one. */
export interface Brought {
  readonly token: string;
  /** The schemes that keep another credential, which only their owner may replace. */
  readonly withOthers: readonly string[];
}

/** Credentials with a token for some schemes. */
export const withToken = (before: Credentials, schemes: readonly string[], secret: string): Credentials => ({
  ...before,
  ...Object.fromEntries(schemes.map((name) => [name, { name: '', secret, verdict: 'untried' as const }])),
});

/**
 * The credentials that the page starts with: those that were kept, and the token of the address for schemes that keep
 * none. Whoever makes a link must not decide as whom its reader acts.
 */
export const firstCredentials = (
  schemes: readonly NamedScheme[],
): { readonly credentials: Credentials; readonly brought?: Brought } => {
  const stored = readStored();
  const token = takeToken();
  if (token === undefined) return { credentials: stored };
  const takers = schemes
    .filter(({ name, kind }) => (kind === 'bearer' || kind === 'apiKey') && stored[name]?.secret !== token)
    .map(({ name }) => name);
  const withOthers = takers.filter((name) => stored[name]?.secret);
  const credentials = withToken(
    stored,
    takers.filter((name) => !withOthers.includes(name)),
    token,
  );
  storeCredentials(credentials);
  return takers.length === 0 ? { credentials } : { credentials, brought: { token, withOthers } };
};

/** The first alternative for which there are all credentials; without one the first that asks for any. */
export const chooseAlternative = (security: readonly Alternative[], credentials: Credentials): Alternative =>
  security.find(
    (alternative) =>
      alternative.length > 0 && alternative.every(({ scheme }) => credentials[scheme.name]?.secret),
  ) ??
  security.find((alternative) => alternative.length > 0) ??
  [];
