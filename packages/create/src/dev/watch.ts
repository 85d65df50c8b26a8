/**
 * Watches files by looking at them again and again. That hears every kind of save, behind links and on file systems that
 * tell no program of changes; a look at a hundred files takes half a millisecond. What a look finds is only a hint: the
 * contents decide what has changed.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Watches folders, with all below them, and single files. */
export interface Watch {
  /** Watches more files, which need not exist. */
  add(files: readonly string[]): void;
  /** Takes a text for known, because this program writes it. */
  expect(file: string, text: string): void;
  /** The files that were created, deleted or given another content since the last call. */
  changed(): string[];
  close(): void;
}

/** How often to look, in milliseconds. */
const LOOK_EVERY = 200;

/** Files that editors and this program keep beside those that they save. */
const IS_BESIDE = /^\.|~$|\.tmp$/;

const hashOf = (content: string | Buffer): string => createHash('sha1').update(content).digest('base64');

/** A file that is written in place is empty for a moment. One that stays empty for so many milliseconds is meant to be. */
const SAVED_WITHIN = 200;
const EMPTY = hashOf('');

/** What a call gives, or `undefined` if the file is not there by now. */
const ifThere = <Result>(call: () => Result): Result | undefined => {
  try {
    return call();
  } catch {
    return undefined;
  }
};

/** The files at some paths and below them, each with a text that is another one after it was saved. */
const list = (paths: Iterable<string>): Map<string, string> => {
  const found = new Map<string, string>();
  const entered = new Set<string>();
  const visit = (path: string): void => {
    const stats = ifThere(() => statSync(path));
    if (!stats) return;
    const identity = `${stats.dev}:${stats.ino}`;
    if (!stats.isDirectory()) found.set(path, `${identity}:${stats.ctimeMs}:${stats.size}`);
    else if (!entered.has(identity)) {
      entered.add(identity); // links may lead in a circle
      for (const name of ifThere(() => readdirSync(path)) ?? [])
        if (!IS_BESIDE.test(name)) visit(join(path, name));
    }
  };
  for (const path of paths) visit(path);
  return found;
};

const differences = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((file) => one.get(file) !== other.get(file));

/** Watches folders and files, and calls `onHint` whenever something may have changed in them. */
export const createWatch = (
  folders: readonly string[],
  files: readonly string[],
  onHint: () => void,
): Watch => {
  const paths = new Set([...folders.map((folder) => resolve(folder)), ...files]);
  const read = (): Map<string, string> => {
    const contents = new Map<string, string>();
    for (const file of list(paths).keys()) {
      const content = ifThere(() => readFileSync(file));
      if (content !== undefined) contents.set(file, hashOf(content));
    }
    return contents;
  };

  let seen = list(paths);
  let known = read();
  let emptied: ReadonlyMap<string, number> = new Map();
  let lookAgain: NodeJS.Timeout | undefined;
  const looks = setInterval(() => {
    const found = list(paths);
    if (differences(seen, found).length === 0) return;
    seen = found;
    onHint();
  }, LOOK_EVERY);

  /** Leaves files that have just been emptied as they were known, and looks again later. */
  const withoutSaves = (found: Map<string, string>): Map<string, string> => {
    const now = performance.now();
    const empty = [...found.keys()].filter(
      (file) => found.get(file) === EMPTY && (known.get(file) ?? EMPTY) !== EMPTY,
    );
    emptied = new Map(empty.map((file) => [file, emptied.get(file) ?? now]));
    const saved = [...emptied].filter(([, since]) => now - since < SAVED_WITHIN);
    for (const [file] of saved) found.set(file, known.get(file) ?? EMPTY);
    clearTimeout(lookAgain);
    if (saved.length > 0) lookAgain = setTimeout(onHint, SAVED_WITHIN);
    return found;
  };

  return {
    add(others) {
      for (const file of others.filter((each) => !paths.has(each))) {
        paths.add(file);
        const content = ifThere(() => readFileSync(file));
        if (content !== undefined && !known.has(file)) known.set(file, hashOf(content));
      }
    },
    expect: (file, text) => void known.set(resolve(file), hashOf(text)),
    changed() {
      const found = withoutSaves(read());
      const changed = differences(known, found);
      known = found;
      return changed;
    },
    close() {
      clearInterval(looks);
      clearTimeout(lookAgain);
    },
  };
};
