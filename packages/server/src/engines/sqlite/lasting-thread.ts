import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Ask, Opening } from './protocol.ts';
import { startThread } from './worker.ts';

/**
 * The least time between the starts of two threads, in milliseconds. A file that cannot be opened ends each thread at
 * once, and a start costs as much as hundreds of writes. Requests that come meanwhile wait and share the next thread.
 */
const START_EVERY = 250;

/** Whoever runs statements on a file: a thread of this process, or another process. */
export interface Runner {
  ask<Row>(what: Ask): Promise<Answer<Row>>;
  close(): Promise<void>;
}

/** A thread that is replaced when it ends. */
export interface LastingThread extends Runner {
  /** Settles once the file is open, or cannot be opened. Starts another thread if the last one has ended. */
  opened(): Promise<Answer>;
}

/** Starts a thread for a file. When it ends, because it can no longer use the file, another one takes its place. */
export const startLastingThread = (opening: Opening, timeout: number): LastingThread => {
  let thread = startThread(opening, timeout);
  let started = performance.now();
  let restarted: Promise<void> | undefined;
  let isClosed = false;

  /** The next thread opens whatever is there by then. */
  const restart = async (): Promise<void> => {
    await sleep(Math.max(0, started + START_EVERY - performance.now()));
    restarted = undefined;
    if (isClosed) return;
    thread = startThread(opening, timeout);
    started = performance.now();
  };
  const withThread = <T>(use: () => Promise<T>): Promise<T> => {
    if (!thread.isOver() || isClosed) return use();
    restarted ??= restart();
    return restarted.then(use);
  };

  return {
    opened: () => withThread(() => thread.opened),
    ask: <Row>(what: Ask) => withThread(() => thread.ask<Row>(what)),
    close() {
      isClosed = true;
      return thread.close();
    },
  };
};
