/**
 * Watches files by looking at them again and again. That hears every kind of save, behind links and on file systems that
 * tell no program of changes; a look at a hundred files takes half a millisecond. An edit is told once a look finds nothing
 * new: a checkout replaces many files, and a file that is written in place is empty for a moment.
 */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Watches folders, with all below them, and single files. */
export interface Watch {
  /** Watches more files, which need not exist. */
  add(files: readonly string[]): void;
  /** Takes a file for known as it is, because this program has written it. */
  accept(file: string): void;
  /** Waits for an edit, and gives the files that were created, deleted or saved since the last one. */
  next(): Promise<string[]>;
  close(): void;
}

/** How often to look, in milliseconds. */
const LOOK_EVERY = 200;

/** Files that editors and this program keep beside those that they save. */
const IS_BESIDE = /^\.|~$|\.tmp$/;

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
const list = (paths: Iterable<string>): Listed => {
  const found: Listed = new Map();
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

const differences = (one: Listed, other: Listed): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((file) => one.get(file) !== other.get(file));

/** Watches folders and files, and calls `onChange` as soon as something has changed in them. */
export const createWatch = (
  folders: readonly string[],
  files: readonly string[],
  onChange: () => void,
): Watch => {
  const paths = new Set([...folders.map((folder) => resolve(folder)), ...files]);
  let known = list(paths);
  const changed = new Set<string>();
  let tell = () => {};
  const looks = setInterval(() => {
    const found = list(paths);
    const news = differences(known, found);
    known = found;
    for (const file of news) changed.add(file);
    if (news.length > 0) onChange();
    else if (changed.size > 0) tell();
  }, LOOK_EVERY);
  const accept = (file: string): void => {
    for (const [path, text] of list([resolve(file)])) {
      known.set(path, text);
      changed.delete(path);
    }
  };
  return {
    add(others) {
      for (const file of others.filter((each) => !paths.has(each))) {
        paths.add(file);
        accept(file);
      }
    },
    accept,
    async next() {
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
      const edited = [...changed];
      changed.clear();
      return edited;
    },
    close: () => clearInterval(looks),
  };
};
