import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { toFailure } from './errors.ts';
import {
  type Answer,
  type Ask,
  OPENED,
  type Opening,
  RESOURCES,
  type Reply,
  type ThreadData,
} from './protocol.ts';

/** Runs statements on a file, in a thread. */
export interface Runner {
  /** Settles within `within` milliseconds, or within a time that the runner sets. */
  ask<Row>(what: Ask, within?: number): Promise<Answer<Row>>;
  /** Settles once the file is released. A thread that is late releases it when it can, and keeps no process alive. */
  close(): Promise<void>;
}

const isSource = import.meta.url.endsWith('.ts');
const CODE = new URL(isSource ? './start-thread.cjs' : './thread.js', import.meta.url);

const startWorker = (opening: Opening): Worker =>
  new Worker(CODE, {
    resourceLimits: RESOURCES,
    workerData: { ...opening, code: CODE.href } satisfies ThreadData,
    ...(isSource && { execArgv: [] }),
  });

/** The answer to a request that has waited too long. */
const TOO_LATE: Answer<never> = {
  failure: {
    reason: 'timeout',
    cause: new Error('the disk, or the process that has locked the file, did not answer'),
  },
};

const CLOSED: Answer<never> = { failure: { reason: 'failing', cause: new Error('the store is closed') } };

/** At exit Node.js waits for every thread; one that waits for its disk would keep the process alive for ever. */
const killProcess = (): void => void process.kill(process.pid, 'SIGKILL');

/** Without its thread a store cannot serve. A supervisor starts the process again. */
const endProcess = (path: string, error: Error): void => {
  process.stderr.write(
    `DATABASE_URL: ${path}: the thread of SQLite has failed: ${error.message}; start again\n`,
  );
  process.exit(1);
};

/** Numbers requests to a thread, and finds the callers of its replies. */
const createConversation = (worker: Worker, timeout: number) => {
  const waiting = new Map<number, (answer: Answer<never>) => void>();
  let last = OPENED;
  let isLate = false;
  let isClosed = false;

  worker.on('message', ({ id, answer }: Reply<never>) => {
    isLate = false;
    waiting.get(id)?.(answer);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref(); // an idle store does not keep the process alive
  });
  return {
    isLate: (): boolean => isLate,
    close(): void {
      isClosed = true;
      worker.ref();
      worker.postMessage({ id: OPENED, ask: 'close' });
    },
    /** While the thread is late nothing more is sent, so that requests do not pile up. */
    ask: <Row>(ask: Ask, within = timeout): Promise<Answer<Row>> =>
      new Promise((resolve) => {
        if (isClosed || isLate) return resolve(isClosed ? CLOSED : TOO_LATE);
        last += 1;
        const timer = setTimeout(() => {
          isLate ||= within >= timeout; // otherwise only this request has waited too long
          resolve(TOO_LATE);
        }, within);
        waiting.set(last, (answer) => {
          clearTimeout(timer);
          resolve(answer);
        });
        worker.ref();
        worker.postMessage({ id: last, ask });
      }),
  };
};

/** Starts a thread that opens a file and runs statements on it. Rejects if the file cannot be opened. */
export const startThread = async (opening: Opening, timeout: number) => {
  const worker = startWorker(opening);
  const exited = new Promise<true>((resolve) => worker.once('exit', () => resolve(true)));
  const [opened] = await once(worker, 'message'); // rejects if the thread cannot start
  const { answer }: Reply = opened;
  if (answer.failure) throw answer.failure.cause;
  worker.on('error', (error) => endProcess(opening.path, error));
  worker.unref();
  const { isLate, ask, close } = createConversation(worker, timeout);
  return {
    ask,
    exited,
    async close(): Promise<void> {
      close();
      if (await Promise.race([exited, sleep(isLate() ? 0 : timeout, false, { ref: false })])) return;
      worker.unref();
      process.once('exit', killProcess);
      void exited.then(() => process.off('exit', killProcess));
    },
  };
};

/** How many threads may still run statements that have timed out. Each may take a core. */
const MOST_LATE = 2;

/**
 * Reads a file in a thread that starts with the first request. A statement that takes too long cannot be interrupted: its
 * thread finishes it and then ends, while another thread serves all other reads.
 */
export const createReader = (opening: Opening, timeout: number): Runner => {
  let current: ReturnType<typeof startThread> | undefined;
  let late = 0;
  return {
    async ask<Row>(what: Ask, within?: number): Promise<Answer<Row>> {
      current ??= startThread(opening, timeout);
      try {
        const thread = await current;
        const answer = await thread.ask<Row>(what, within);
        if (answer.failure?.reason !== 'timeout' || late === MOST_LATE) return answer;
        current = undefined;
        late += 1;
        void thread.close();
        void thread.exited.then(() => {
          late -= 1;
        });
        return answer;
      } catch (cause) {
        current = undefined;
        return toFailure(cause, false);
      }
    },
    close: async () => (await current)?.close(),
  };
};
