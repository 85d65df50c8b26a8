import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Ask, Opening } from './shared/protocol.ts';
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

/** Opens a file on a thread. When the thread ends, because it can no longer use its file, another one takes its place. */
export const openLastingThread = async (opening: Opening, timeout: number): Promise<Runner> => {
  const start = () => startThread(opening, timeout);
  let thread = start();
  let started = performance.now();
  let restarted: Promise<void> | undefined;
  let isClosed = false;
  const { failure } = await thread.opened;
  if (failure) throw failure.cause;

  /** The next thread opens whatever is there by then. */
  const restart = async (): Promise<void> => {
    await sleep(Math.max(0, started + START_EVERY - performance.now()));
    restarted = undefined;
    if (isClosed) return;
    thread = start();
    started = performance.now();
  };

  return {
    ask: <Row>(what: Ask): Promise<Answer<Row>> => {
      if (!thread.isOver() || isClosed) return thread.ask(what);
      restarted ??= restart();
      return restarted.then(() => thread.ask(what));
    },
    close() {
      isClosed = true;
      return thread.close();
    },
  };
};
