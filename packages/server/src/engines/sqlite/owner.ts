import type { AskOwner, OpenOptions } from '../options.ts';
import type { SqliteSchema } from './file.ts';
import { type LastingThread, type Runner, startLastingThread } from './lasting-thread.ts';
import type { Answer, Ask, Writes } from './protocol.ts';

/** How long the thread of a file may take to answer, in milliseconds. */
const TIMEOUT = 10_000;

/** What a process asks the owner of a file. Each question says which file, so that none depends on one that was lost. */
interface OwnerAsk {
  readonly path: string;
  readonly schema: SqliteSchema;
  /** Without it, the owner answers once the file is open. */
  readonly ask?: Ask;
}

const countRows = (batch: readonly Writes[]): number => batch.reduce((sum, { count }) => sum + count, 0);

/** Makes what writes the batches of several processes: whatever has arrived when the thread is free is one transaction. */
const createWriter = (thread: LastingThread) => {
  const waiting: { readonly batch: readonly Writes[]; readonly answer: (answer: Answer) => void }[] = [];
  let isWriting = false;
  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const together = waiting.splice(0);
      const { hits, ...failed } = await thread.ask({ write: together.flatMap(({ batch }) => batch) });
      let done = 0;
      for (const { batch, answer } of together) {
        const start = done;
        done += countRows(batch);
        answer(hits ? { hits: hits.slice(start, done) } : failed);
      }
    }
    isWriting = false;
  };
  return (batch: readonly Writes[]): Promise<Answer> =>
    new Promise((answer) => {
      waiting.push({ batch, answer });
      if (!isWriting) void writeAll();
    });
};

/** Owns SQLite files for several processes. */
export const createSqliteOwner = () => {
  const files = new Map<string, { thread: LastingThread; write: ReturnType<typeof createWriter> }>();
  const fileOf = ({ path, schema }: OwnerAsk) => {
    const known = files.get(path);
    if (known) return known;
    const thread = startLastingThread({ path, schema, options: {} }, TIMEOUT);
    const file = { thread, write: createWriter(thread) };
    files.set(path, file);
    return file;
  };
  return {
    async answer(what: OwnerAsk): Promise<Answer> {
      const { ask } = what;
      const { thread, write } = fileOf(what);
      if (ask === undefined) return thread.opened();
      return typeof ask === 'object' && 'write' in ask ? write(ask.write) : thread.ask(ask);
    },
    /** Releases the files. */
    async close(): Promise<void> {
      for (const { thread } of files.values()) await thread.close();
    },
  };
};

const OWNER_IS_LATE: Answer<never> = {
  failure: { reason: 'timeout', cause: new Error('the process that owns the store did not answer') },
};

/**
 * Opens a file at the process that owns it, which answers within `timeout` milliseconds or counts as late. While it is
 * late nothing more is asked, so that questions do not pile up; one is asked again after the same time.
 */
export const openOwnedFile = async (
  file: Omit<OwnerAsk, 'ask'>,
  askOwner: AskOwner,
  { timeout, mayBeUnavailable }: Required<Pick<OpenOptions, 'mayBeUnavailable'>> & { timeout: number },
): Promise<Runner> => {
  const send: (what: OwnerAsk) => Promise<Answer<never>> = askOwner;
  let lateUntil = 0;
  const ask = async <Row>(what: OwnerAsk): Promise<Answer<Row>> => {
    if (performance.now() < lateUntil) return OWNER_IS_LATE;
    return new Promise((resolve) => {
      const deadline = setTimeout(() => {
        lateUntil = performance.now() + timeout;
        resolve(OWNER_IS_LATE);
      }, timeout);
      const settle = (answer: Answer<never>): void => {
        clearTimeout(deadline);
        lateUntil = 0;
        resolve(answer);
      };
      send(what).then(settle, (cause: unknown) => settle({ failure: { reason: 'unreachable', cause } }));
    });
  };
  const { failure } = await ask(file);
  if (failure && !mayBeUnavailable) throw failure.cause;
  return {
    ask: (what) => ask({ ...file, ask: what }),
    close: async () => {}, // the owner keeps it for others
  };
};
