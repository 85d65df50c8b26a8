import { hash } from 'node:crypto';

/** A token and the name of its owner. */
export interface NamedToken {
  readonly name: string;
  readonly token: string;
}

/** The SHA-256 of a token, as 64 lower-case hex digits, and the name of its owner: no token is kept in the clear. */
export interface HashedToken {
  readonly name: string;
  readonly sha256: string;
}

/** A valid token, given as it is or by its hash. */
export type TokenEntry = NamedToken | HashedToken;

/** An entry as it was written, and its number in its list or file. */
export interface WrittenEntry {
  readonly text: string;
  readonly position: number;
}

/** What is wrong with an entry. It names the position, never the text: that may be a secret with a typo. */
export interface Fault {
  readonly position: number;
  readonly reason: string;
}

/** RFC 6750, section 2.1: what fits in an Authorization header. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const SHA256 = /^[0-9a-f]{64}$/i;

/** A name, the word sha256 and a hash. */
const MAX_PARTS = 3;

/** What can be wrong with an entry. */
export const REASONS = {
  noToken:
    'is no bearer token; use letters, digits and -._~+/ as in name:token, or name:sha256: and 64 hex digits',
  repeated: 'has the token of another entry; give each name its own',
} as const;

/** The SHA-256 of an entry's token, in hex. */
export const sha256Of = (entry: TokenEntry): string =>
  'sha256' in entry ? entry.sha256 : hash('sha256', entry.token);

/** The name of an entry's owner; an entry without a name is named by its position. */
export const nameAt = (name: string, position: number): string => name || `token-${position}`;

/**
 * Parses `name:token`, `name:sha256:HASH`, or either without a name, which is then empty. No owner can be named sha256:
 * a hash with a typo must not become a token.
 */
export const parseEntry = (text: string): TokenEntry | undefined => {
  const parts = text.split(':', MAX_PARTS + 1).map((part) => part.trim());
  const secret = parts.pop() ?? '';
  const isHash = parts.at(-1)?.toLowerCase() === 'sha256';
  const [name = '', ...more] = isHash ? parts.slice(0, -1) : parts;
  if (more.length > 0 || !(isHash ? SHA256 : TOKEN).test(secret)) return undefined;
  return isHash ? { name, sha256: secret.toLowerCase() } : { name, token: secret };
};

/** Parses entries; gives the valid ones, and what is wrong with the others. */
export const parseTokenEntries = (
  written: readonly WrittenEntry[],
): { entries: TokenEntry[]; faults: Fault[] } => {
  const entries = new Map<string, TokenEntry>();
  const faults: Fault[] = [];
  for (const { text, position } of written) {
    const entry = parseEntry(text);
    const sha256 = entry && sha256Of(entry);
    if (!entry || sha256 === undefined) faults.push({ position, reason: REASONS.noToken });
    else if (entries.has(sha256)) faults.push({ position, reason: REASONS.repeated });
    else entries.set(sha256, { ...entry, name: nameAt(entry.name, position) });
  }
  return { entries: [...entries.values()], faults };
};
