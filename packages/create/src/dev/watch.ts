/**
 * Watches files through their folders. A watch of a file ends with its inode, and git and many editors replace a file
 * instead of writing into it. What a folder reports is only a hint: the contents decide what has changed.
 */
import { createHash } from 'node:crypto';
import { type FSWatcher, readdirSync, readFileSync, realpathSync, statSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

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

/** How often to look where the system cannot watch, in milliseconds. */
const POLL_MS = 1000;

/** Files that editors and this program keep beside those that they save. */
const IS_BESIDE = /(?:^|\/)\.[^/]*$|~$|\.tmp$/;

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

/** Watches folders and files, and calls `onHint` whenever something may have changed in them. */
export const createWatch = (
  folders: readonly string[],
  files: readonly string[],
  onHint: () => void,
): Watch => {
  const single = new Set(files);
  let watchers: FSWatcher[] = [];
  let poll: NodeJS.Timeout | undefined;

  const open = (folder: string): FSWatcher[] => {
    try {
      return [watch(folder, onHint).on('error', onHint)];
    } catch (error) {
      const isAway = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isAway) poll ??= setInterval(onHint, POLL_MS); // the system has no watch left
      return [];
    }
  };

  /** Opens every folder before it is read, so that no change falls between the two, and reads all files. */
  const scan = (): Map<string, string> => {
    const before = watchers;
    const opened = new Map<string, FSWatcher[]>();
    const found = new Map<string, string>();
    const openOnce = (folder: string): boolean => {
      const place = ifThere(() => realpathSync(folder)) ?? folder;
      if (opened.has(place)) return false;
      opened.set(place, open(place));
      return true;
    };
    const readFile = (file: string): void => {
      const target = ifThere(() => realpathSync(file)) ?? file;
      if (target !== file) openOnce(dirname(target)); // a link, or below one
      const content = ifThere(() => readFileSync(file));
      if (content !== undefined) found.set(file, hashOf(content));
    };
    const readFolder = (folder: string): void => {
      if (!openOnce(folder)) return; // links may lead in a circle
      for (const name of ifThere(() => readdirSync(folder)) ?? []) {
        const path = join(folder, name);
        if (IS_BESIDE.test(path)) continue;
        if (ifThere(() => statSync(path))?.isDirectory()) readFolder(path);
        else readFile(path);
      }
    };
    for (const folder of folders) {
      openOnce(dirname(resolve(folder)));
      readFolder(resolve(folder));
    }
    for (const file of single) {
      let folder = dirname(file);
      while (!ifThere(() => statSync(folder)) && folder !== dirname(folder)) folder = dirname(folder);
      openOnce(folder);
      readFile(file);
    }
    watchers = [...opened.values()].flat();
    for (const watcher of before) watcher.close(); // one of a folder that was replaced is deaf, so all are opened anew
    return found;
  };

  let known = scan();
  let emptied: ReadonlyMap<string, number> = new Map();
  let lookAgain: NodeJS.Timeout | undefined;

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
      const more = others.filter((file) => !single.has(file));
      for (const file of more) {
        single.add(file);
        const content = ifThere(() => readFileSync(file));
        if (content !== undefined && !known.has(file)) known.set(file, hashOf(content));
      }
      if (more.length > 0) onHint(); // opens their folders
    },
    expect: (file, text) => void known.set(resolve(file), hashOf(text)),
    changed() {
      const found = withoutSaves(scan());
      const names = new Set([...known.keys(), ...found.keys()]);
      const changed = [...names].filter((file) => known.get(file) !== found.get(file));
      known = found;
      return changed;
    },
    close() {
      clearInterval(poll);
      clearTimeout(lookAgain);
      for (const watcher of watchers) watcher.close();
    },
  };
};
