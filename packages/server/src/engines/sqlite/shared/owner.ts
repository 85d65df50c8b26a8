import { type LastingThread, startLastingThread } from '../worker.ts';
import type { OwnerAnswer, OwnerAsk } from './owned-file.ts';

/** How long a thread may take to answer, in milliseconds. */
const TIMEOUT = 10_000;

/** Owns SQLite files for several processes. Each file has a thread, which the processes ask directly. */
export const createSqliteOwner = () => {
  const files = new Map<string, LastingThread>();
  return {
    async answer(what: OwnerAsk): Promise<OwnerAnswer> {
      const file = files.get(what.path) ?? startLastingThread({ ...what, options: {} }, TIMEOUT);
      files.set(what.path, file);
      const opened = await file.opened();
      const { socket = '', failure } = opened.failure ? opened : await file.ask('listen');
      return failure ? { failure } : { socket };
    },
    /** Releases the files. */
    async close(): Promise<void> {
      for (const file of files.values()) await file.close();
    },
  };
};
