import { setTimeout as sleep } from 'node:timers/promises';
import { startThread } from '../worker.ts';
import type { OwnerAnswer, OwnerAsk } from './owned-file.ts';

/** How long a thread may take to answer, in milliseconds. */
const TIMEOUT = 10_000;

/** The least time between the starts of two threads for a file, in milliseconds: see lasting-thread.ts. */
const START_EVERY = 250;

interface File {
  readonly thread: ReturnType<typeof startThread>;
  readonly started: number;
}

/**
 * Owns SQLite files for several processes. Each file has a thread, which the processes ask directly. The owner starts
 * it, and starts another when it has ended and somebody asks for the file.
 */
export const createSqliteOwner = () => {
  const files = new Map<string, Promise<File>>();

  const start = async (what: OwnerAsk, previous: File | undefined): Promise<File> => {
    if (previous) await sleep(Math.max(0, previous.started + START_EVERY - performance.now()));
    return { thread: startThread({ ...what, options: {} }, TIMEOUT), started: performance.now() };
  };
  const find = async (what: OwnerAsk): Promise<File> => {
    const known = files.get(what.path);
    const file = await known;
    if (file && !file.thread.isOver()) return file;
    const next = files.get(what.path); // others may have asked meanwhile
    const started = next === known || !next ? start(what, file) : next;
    files.set(what.path, started);
    return started;
  };

  return {
    async answer(what: OwnerAsk): Promise<OwnerAnswer> {
      const { thread } = await find(what);
      const opened = await thread.opened;
      const { socket = '', failure } = opened.failure ? opened : await thread.ask('listen');
      return failure ? { failure } : { socket };
    },
    /** Releases the files. */
    async close(): Promise<void> {
      for (const file of files.values()) await (await file).thread.close();
    },
  };
};
