import type { LastingRunner } from '../lasting.ts';
import type { Answer } from '../protocol.ts';
import { startLastingThread } from '../worker.ts';
import type { OwnerAsk } from './owned-file.ts';

/** How long a thread may take to answer, in milliseconds. */
const TIMEOUT = 10_000;

/** Owns SQLite files for several processes. Each file has a thread, which the processes ask directly. */
export const createSqliteOwner = () => {
  const files = new Map<string, LastingRunner>();
  return {
    async answer(what: OwnerAsk): Promise<Answer> {
      const file = files.get(what.path) ?? startLastingThread({ ...what, options: {} }, TIMEOUT);
      files.set(what.path, file);
      const opened = await file.opened();
      return opened.failure ? opened : file.ask('listen');
    },
    /** Releases the files. */
    async close(): Promise<void> {
      for (const file of files.values()) await file.close();
    },
  };
};
