/**
 * Watches files by looking at them again and again. That hears every kind of save, behind links and on file systems that
 * tell no program of changes; a look at a hundred files takes half a millisecond.
 */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Watches folders, with all below them, and single files. */
export interface Watch {
  /** Watches more files, which need not exist. */
  add(files: readonly string[]): void;
  /** Takes a file for known as it is, because this program has written it. */
  accept(file: string): void;
  /** The files that were created, deleted or saved since the last call. */
  changed(): string[];
  close(): void;
}

/** How often to look, in milliseconds. */
const LOOK_EVERY = 200;

/** Files that editors and this program keep beside those that they save. */
const IS_BESIDE = /^\.|~$|\.tmp$/;

/** A file that is written in place is empty for a moment. One that stays empty for so many milliseconds is meant to be. */
const SAVED_WITHIN = 200;

/** What a call gives, or `undefined` if the file is not there by now. */
const ifThere = <Result>(call: () => Result): Result | undefined => {
  try {
    return call();
  } catch {
    return undefined;
  }
};

type Listed = Map<string, string>;

/** The files at some paths and below them, each with a text that is another one after it was saved. */
const list = (paths: Iterable<string>, known: Listed = new Map()): Listed => {
  const found: Listed = new Map();
  const entered = new Set<string>();
  const visit = (path: string): void => {
    const stats = ifThere(() => statSync(path));
    if (!stats) return;
    const { ctimeMs, size } = stats;
    const identity = `${stats.dev}:${stats.ino}`;
    const isBeingSaved = size === 0 && Math.abs(Date.now() - ctimeMs) < SAVED_WITHIN;
    if (!stats.isDirectory())
      found.set(path, (isBeingSaved && known.get(path)) || `${identity}:${ctimeMs}:${size}`);
    else if (!entered.has(identity)) {
      entered.add(identity); // links may lead in a circle
      for (const name of ifThere(() => readdirSync(path)) ?? [])
        if (!IS_BESIDE.test(name)) visit(join(path, name));
    }
  };
  for (const path of paths) visit(path);
  return found;
};

const differences = (one: Listed, other: Listed): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((file) => one.get(file) !== other.get(file));

/** Watches folders and files, and calls `onHint` while something has changed in them. */
export const createWatch = (
  folders: readonly string[],
  files: readonly string[],
  onHint: () => void,
): Watch => {
  const paths = new Set([...folders.map((folder) => resolve(folder)), ...files]);
  let known = list(paths);
  const looks = setInterval(() => {
    if (differences(known, list(paths, known)).length > 0) onHint();
  }, LOOK_EVERY);
  const accept = (file: string): void => {
    for (const [path, text] of list([resolve(file)])) known.set(path, text);
  };
  return {
    add(others) {
      for (const file of others.filter((each) => !paths.has(each))) {
        paths.add(file);
        accept(file);
      }
    },
    accept,
    changed() {
      const found = list(paths, known);
      const changed = differences(known, found);
      known = found;
      return changed;
    },
    close: () => clearInterval(looks),
  };
};
