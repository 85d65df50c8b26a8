import { hash } from 'node:crypto';

/** A token and whose it is. */
export interface NamedToken {
  readonly name: string;
  readonly token: string;
}

/** The SHA-256 of a token, as 64 lower-case hex digits, and whose it is: for those who do not keep tokens in the clear. */
export interface HashedToken {
  readonly name: string;
  readonly sha256: string;
}

/** A token that is known here, by itself or by its hash. */
export type TokenEntry = NamedToken | HashedToken;

/** An entry as it was written, and its number in the list or file where it stands. */
export interface WrittenEntry {
  readonly text: string;
  readonly position: number;
}

/** What is wrong with an entry. It tells the position, never the entry: that may be a secret with a slip in it. */
export interface Fault {
  readonly position: number;
  readonly reason: string;
}

/** RFC 6750, section 2.1: what fits in an Authorization header. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const SHA256 = /^[0-9a-f]{64}$/i;

const NO_TOKEN =
  'is no bearer token; use letters, digits and -._~+/ as in name:token, or name:sha256: and 64 hex digits';
const REPEATED = 'has the token of another entry; give each name its own';

/** The SHA-256 of an entry's token, in hex. */
export const sha256Of = (entry: TokenEntry): string =>
  'sha256' in entry ? entry.sha256 : hash('sha256', entry.token);

/**
 * `name:token`, `name:sha256:HASH`, or either without a name. Nobody is named sha256: a hash with a slip in it must
 * not be taken for a token.
 */
const parseEntry = ({ text, position }: WrittenEntry): TokenEntry | undefined => {
  const parts = text.split(':').map((part) => part.trim());
  const secret = parts.pop() ?? '';
  const isHash = parts.at(-1)?.toLowerCase() === 'sha256';
  const [given, ...more] = isHash ? parts.slice(0, -1) : parts;
  const name = given || `token-${position}`;
  if (more.length > 0 || !(isHash ? SHA256 : TOKEN).test(secret)) return undefined;
  return isHash ? { name, sha256: secret.toLowerCase() } : { name, token: secret };
};

/** Reads entries: those that are good, and what is wrong with the others. */
export const parseTokenEntries = (
  written: readonly WrittenEntry[],
): { entries: TokenEntry[]; faults: Fault[] } => {
  const entries = new Map<string, TokenEntry>();
  const faults: Fault[] = [];
  for (const one of written) {
    const entry = parseEntry(one);
    const reason = entry ? (entries.has(sha256Of(entry)) ? REPEATED : undefined) : NO_TOKEN;
    if (reason) faults.push({ position: one.position, reason });
    else if (entry) entries.set(sha256Of(entry), entry);
  }
  return { entries: [...entries.values()], faults };
};
