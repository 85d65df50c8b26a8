import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../../contract/security.ts';
import { type Fault, nameAt, parseEntry, REASONS, type Reason, type TokenEntry } from '../tokens/entries.ts';

/** The tokens that were found in a file. */
export interface FoundTokens {
  /** The owner of each token, by the digest of the token. */
  readonly owners: ReadonlyMap<string, Principal>;
  /** The digest of the last line, if no line break ends it: the line may be half-written. */
  readonly unfinished: string | undefined;
  /** The first invalid lines, and what is wrong with them. */
  readonly faults: readonly Fault[];
  /** How many lines are invalid. */
  readonly leftOut: number;
}

/** The tokens of a file that does not exist. */
export const NOTHING: FoundTokens = { owners: new Map(), unfinished: undefined, faults: [], leftOut: 0 };

/** How many lines are parsed before other work gets a turn. A new line counts as several. */
const LINES_PER_TURN = 4000;
const COST_OF_NEW_LINE = 10;

/** How many invalid lines are reported one by one. */
const MAX_FAULTS = 20;

/** How many characters of parsed lines are cached. */
const MAX_CACHED = 16_777_216;

/** A parsed line, and its place in the file when it was last read. */
interface Line {
  readonly text: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly digest: string;
  index: number;
}

/**
 * Caches parsed lines, so that a token is hashed once and not whenever another line changes. Most lines still follow
 * the same line as before, and are found by that without a lookup.
 */
const createLineCache = (digestOf: (entry: TokenEntry) => string) => {
  const known = new Map<string, Line>();
  let cachedLength = 0;
  let order: Line[] = [];
  let nextOrder: Line[] = [];
  let expected = 0;

  /** Copies the text, because a slice would keep the whole file in memory. */
  const parse = (text: string): Line | Reason => {
    const copy = Buffer.from(text).toString();
    const entry = parseEntry(copy);
    if (typeof entry === 'string') return entry;
    const { name, scopes = [] } = entry;
    const line = { text: copy, name, scopes, digest: digestOf(entry), index: 0 };
    known.set(copy, line);
    cachedLength += copy.length;
    return line;
  };

  return {
    /** Gives the parsed line, or what is wrong with it, and whether it is new. */
    find(text: string): { readonly line: Line | Reason; readonly isNew: boolean } {
      const next = order[expected];
      const old = next?.text === text ? next : known.get(text);
      const line = old ?? parse(text);
      if (old) expected = old.index + 1;
      if (typeof line !== 'string') nextOrder.push(line);
      return { line, isNew: !old };
    },
    /** Ends a pass through the file. Removed lines stay cached for a while, because they may come back. */
    endPass(): void {
      [order, nextOrder, expected] = [nextOrder, [], 0];
      for (const [index, line] of order.entries()) line.index = index;
      if (cachedLength <= MAX_CACHED) return;
      known.clear();
      cachedLength = 0;
      for (const line of order) {
        known.set(line.text, line);
        cachedLength += line.text.length;
      }
    },
  };
};

/**
 * Creates a reader of the lines of a token file: one entry a line; blank lines and lines that begin with # are skipped.
 * It yields to other work every few thousand lines.
 */
export const createLineReader = (digestOf: (entry: TokenEntry) => string) => {
  const cache = createLineCache(digestOf);

  return async (bytes: Uint8Array): Promise<FoundTokens> => {
    const text = new TextDecoder().decode(bytes);
    const owners = new Map<string, Principal>();
    const faults: Fault[] = [];
    let leftOut = 0;
    let unfinished: string | undefined;

    const leaveOut = (position: number, reason: string): void => {
      leftOut += 1;
      if (faults.length < MAX_FAULTS) faults.push({ position, reason });
    };

    /** Adds an entry; returns how many lines it counts as. */
    const add = (entry: string, position: number, isFinished: boolean): number => {
      const { line, isNew } = cache.find(entry);
      if (typeof line === 'string') leaveOut(position, line);
      else if (owners.has(line.digest)) leaveOut(position, REASONS.repeated);
      else owners.set(line.digest, { name: nameAt(line.name, position), scopes: line.scopes });
      if (!isFinished) unfinished = typeof line === 'string' ? undefined : line.digest;
      return isNew ? COST_OF_NEW_LINE : 1;
    };

    let linesInTurn = 0;
    let start = 0;
    for (let position = 1; start < text.length; position += 1) {
      const lineBreak = text.indexOf('\n', start);
      const end = lineBreak < 0 ? text.length : lineBreak;
      const entry = text.slice(start, end).trim();
      start = end + 1;
      linesInTurn += entry === '' || entry.startsWith('#') ? 1 : add(entry, position, lineBreak >= 0);
      if (linesInTurn < LINES_PER_TURN) continue;
      linesInTurn = 0;
      await nextTurn();
    }
    cache.endPass();
    return { owners, unfinished, faults, leftOut };
  };
};
