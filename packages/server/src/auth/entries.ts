import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * A valid token, in the clear or as its SHA-256 in 64 lower-case hex digits; its owner; and its scopes, none if not given.
 */
export type TokenEntry = {
  readonly name: string;
  readonly scopes?: readonly string[] | undefined;
} & ({ readonly token: string } | { readonly sha256: string });

/** An error in an entry. It reports the position, never the text: that may be a secret with a typo. */
export interface Fault {
  readonly position: number;
  readonly reason: string;
}

/** RFC 6750, section 2.1: what fits in an Authorization header. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const SHA256 = /^[0-9a-f]{64}$/i;

/** RFC 6749, section 3.3, without the `+` that separates scopes here. */
const SCOPES = /^[!#-*,-[\]-~]+(?:\+[!#-*,-[\]-~]+)*$/;

/** The reasons why an entry is invalid. */
const REASONS = {
  noToken:
    'is no bearer token; use letters, digits and -._~+/ as in name:token, or name:sha256: and 64 hex digits',
  noScopes:
    'has no valid scopes after its token; join them with + as in name:token:read+write, or leave out the colon',
  repeated: 'has the token of another entry; give each name its own',
} as const;

/** The SHA-256 of an entry's token, in hex. */
export const sha256Of = (entry: TokenEntry): string =>
  'sha256' in entry ? entry.sha256 : hash('sha256', entry.token);

const isMarker = (part: string | undefined): boolean => part?.toLowerCase() === 'sha256';

/**
 * Parses `name:token`, `name:sha256:HASH`, or either without a name, which is then empty; gives the reason if it cannot.
 * Scopes may follow after one more colon. They may have colons themselves, names and tokens may not: so
 * `name:token:read:all` has the scope `read:all`, and scopes need a name, or a colon in its place. Neither an owner nor a
 * first scope can be called sha256: a hash with a typo must not become a token.
 */
const parseEntry = (text: string): TokenEntry | string => {
  const parts = text.split(':').map((part) => part.trim());
  const name = parts.length > 1 && !isMarker(parts[0]) ? (parts.shift() ?? '') : '';
  const isHash = parts.length > 1 && isMarker(parts[0]);
  const [secret = '', ...more] = isHash ? parts.slice(1) : parts;
  if (!(isHash ? SHA256 : TOKEN).test(secret) || isMarker(more[0])) return REASONS.noToken;
  if (more.length > 0 && !SCOPES.test(more.join(':'))) return REASONS.noScopes;
  const scopes = more.length > 0 ? more.join(':').split('+') : undefined;
  return isHash ? { name, sha256: secret.toLowerCase(), scopes } : { name, token: secret, scopes };
};

/** Creates a list that collects valid entries, and reports the invalid ones as faults. */
export const createEntryList = () => {
  const entries = new Map<string, TokenEntry>();
  const faults: Fault[] = [];
  return {
    /** By the SHA-256 of their tokens. */
    entries,
    faults,
    /** Parses and adds an entry. An entry without a name is named after its position. */
    add(text: string, position: number): void {
      const entry = parseEntry(text);
      const sha256 = typeof entry === 'string' ? '' : sha256Of(entry);
      if (typeof entry === 'string') faults.push({ position, reason: entry });
      else if (entries.has(sha256)) faults.push({ position, reason: REASONS.repeated });
      else entries.set(sha256, { ...entry, name: entry.name || `token-${position}` });
    },
  };
};

/** Lines that are parsed before other work gets a turn. */
const LINES_PER_TURN = 500;

/** Parses the text of a file: one entry a line; blank lines and lines that begin with # are skipped. */
export const parseLines = async (text: string) => {
  const { add, ...list } = createEntryList();
  for (const [index, line] of text.split('\n').entries()) {
    const entry = line.trim();
    if (entry !== '' && !entry.startsWith('#')) add(entry, index + 1);
    if (index % LINES_PER_TURN === LINES_PER_TURN - 1) await nextTurn();
  }
  return list;
};
