import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type Fault, nameAt, parseEntry, REASONS, type TokenEntry } from '../token-entries.ts';

/** What a look at a token file finds in it. */
export interface FoundTokens {
  /** Whose each token is, by its digest. */
  readonly names: ReadonlyMap<string, string>;
  /** The digest of the last line where no line break ends it: the line may be half written. */
  readonly unfinished: string | undefined;
  /** The first lines that are left out, and why. */
  readonly faults: readonly Fault[];
  /** How many lines are left out. */
  readonly leftOut: number;
}

/** What a look finds where there is no file. */
export const NOTHING: FoundTokens = { names: new Map(), unfinished: undefined, faults: [], leftOut: 0 };

/** How many lines are read before other work has its turn, and how many of them a line counts for that is new. */
const LINES_IN_A_ROW = 4000;
const LINES_PER_NEW_LINE = 10;

/** How many lines that are left out are told one by one. */
const MOST_FAULTS = 20;

/** How many characters of lines that were parsed are kept, to know them again. */
const MOST_KEPT = 16_777_216;

/** A line as it was parsed, and where it was found last. */
interface Line {
  readonly text: string;
  readonly name: string;
  readonly digest: string;
  index: number;
}

/**
 * Lines that were parsed before: a token is hashed once, not whenever another line of its file changes. Most lines
 * follow the one that they followed before, and are found by that, which costs least.
 */
const createKnownLines = (digestOf: (entry: TokenEntry) => string) => {
  const known = new Map<string, Line>();
  let kept = 0;
  let order: Line[] = [];
  let nextOrder: Line[] = [];
  let expected = 0;

  /** A copy of the text, since a part of the file would keep all of it in memory. */
  const learn = (text: string): Line | undefined => {
    const entry = parseEntry(text);
    if (!entry) return undefined;
    const copy = Buffer.from(text).toString();
    const line = { text: copy, name: entry.name, digest: digestOf(entry), index: 0 };
    known.set(copy, line);
    kept += copy.length;
    return line;
  };

  return {
    /** The line with this text, and whether it is new. */
    find(text: string): { readonly line: Line | undefined; readonly isNew: boolean } {
      const next = order[expected];
      const old = next?.text === text ? next : known.get(text);
      const line = old ?? learn(text);
      if (old) expected = old.index + 1;
      if (line) nextOrder.push(line);
      return { line, isNew: !old };
    },
    /** Ends a pass through the file. Lines that it no longer has are kept for a while: they may be back in a moment. */
    end(): void {
      [order, nextOrder, expected] = [nextOrder, [], 0];
      for (const [index, line] of order.entries()) line.index = index;
      if (kept <= MOST_KEPT) return;
      known.clear();
      kept = 0;
      for (const line of order) {
        known.set(line.text, line);
        kept += line.text.length;
      }
    },
  };
};

/**
 * Reads the lines of a token file: one entry a line; blank lines and lines that begin with # do not count. Other work
 * goes on in between, however large the file is.
 */
export const createLineReader = (digestOf: (entry: TokenEntry) => string) => {
  const known = createKnownLines(digestOf);

  return async (bytes: Uint8Array): Promise<FoundTokens> => {
    const text = new TextDecoder().decode(bytes);
    const names = new Map<string, string>();
    const faults: Fault[] = [];
    let leftOut = 0;
    let unfinished: string | undefined;

    const leaveOut = (position: number, reason: string): void => {
      leftOut += 1;
      if (faults.length < MOST_FAULTS) faults.push({ position, reason });
    };

    /** Takes an entry and gives what that costs. */
    const take = (entry: string, position: number, isFinished: boolean): number => {
      const { line, isNew } = known.find(entry);
      if (!line) leaveOut(position, REASONS.noToken);
      else if (names.has(line.digest)) leaveOut(position, REASONS.repeated);
      else names.set(line.digest, nameAt(line.name, position));
      if (!isFinished) unfinished = line?.digest;
      return isNew ? LINES_PER_NEW_LINE : 1;
    };

    let work = 0;
    let start = 0;
    for (let position = 1; start < text.length; position += 1) {
      const lineBreak = text.indexOf('\n', start);
      const end = lineBreak < 0 ? text.length : lineBreak;
      const entry = text.slice(start, end).trim();
      start = end + 1;
      work += entry === '' || entry.startsWith('#') ? 1 : take(entry, position, lineBreak >= 0);
      if (work < LINES_IN_A_ROW) continue;
      work = 0;
      await letOthersRun();
    }
    known.end();
    return { names, unfinished, faults, leftOut };
  };
};
