import type { Worker } from 'node:worker_threads';
import { type Answer, type Ask, type Failure, OPENED, type Reply, type Request } from './protocol.ts';

/** Runs statements on a file, in a thread. */
export interface Runner {
  /** Settles within `within` milliseconds, or within a time that the runner sets. */
  ask<Row>(what: Ask, within?: number): Promise<Answer<Row>>;
  close(): Promise<void>;
}

/** The answer to a request that has waited too long. */
export const TOO_LATE: Answer<never> = {
  failure: {
    reason: 'timeout',
    cause: new Error('the disk, or the process that has locked the file, did not answer'),
  },
};

/** Asks a thread that runs statements on a file. */
export const createConversation = (worker: Worker, timeout: number) => {
  const waiting = new Map<number, (answer: Answer<never>) => void>();
  let lastId = OPENED.id;
  let isOver = false;
  let isLate = false;
  /** When the thread was last known to be idle, or to answer. */
  let heard = performance.now();
  /** The answer to all requests once the thread has ended. */
  let last: Failure = { reason: 'failing', cause: new Error('the thread of the store has ended') };

  const settle = ({ id, answer }: Reply<never>): void => {
    isLate = false;
    heard = performance.now();
    const resolve = waiting.get(id);
    waiting.delete(id);
    resolve?.(answer);
    if (waiting.size === 0) worker.unref(); // an idle store does not keep the process alive
  };
  const wait = <Row>(id: number): Promise<Answer<Row>> =>
    new Promise((resolve) => {
      if (waiting.size === 0) heard = performance.now();
      waiting.set(id, resolve);
      worker.ref();
    });
  worker.on('message', (reply: Reply<never>) => {
    if (!reply.answer.isLast) return settle(reply);
    last = reply.answer.failure ?? last; // given at the end of the thread: only then SQLite has released the file
  });
  worker.on('error', (cause) => {
    last = { reason: 'failing', cause };
  });
  worker.on('exit', () => {
    isOver = true;
    for (const id of [...waiting.keys()]) settle({ id, answer: { failure: last } });
  });

  const send = <Row>(ask: Ask): Promise<Answer<Row>> => {
    lastId += 1;
    worker.postMessage({ id: lastId, ask } satisfies Request);
    return wait(lastId);
  };
  const sendInTime = <Row>(ask: Ask, within: number): Promise<Answer<Row>> =>
    new Promise((resolve) => {
      const deadline = setTimeout(() => {
        // Otherwise only this request has waited too long. A timer may end a little early on a busy machine.
        isLate = performance.now() - heard >= 0.9 * timeout;
        resolve(TOO_LATE);
      }, within);
      void send<Row>(ask).then((answer) => {
        clearTimeout(deadline);
        resolve(answer);
      });
    });

  return {
    /** Settles once the file is open, or cannot be opened. */
    opened: wait(OPENED.id),
    isOver: () => isOver,
    /** While the thread is late nothing more is sent, so that requests do not pile up. */
    async ask<Row>(what: Ask, within = timeout): Promise<Answer<Row>> {
      if (isOver) return { failure: last };
      return isLate ? TOO_LATE : sendInTime(what, within);
    },
    /** Asks for the end. Settles with whether it has come; a thread that is late ends when it can. */
    async end(): Promise<boolean> {
      if (isOver) return true;
      if (isLate) void send('close');
      else await sendInTime('close', timeout);
      return isOver;
    },
  };
};
