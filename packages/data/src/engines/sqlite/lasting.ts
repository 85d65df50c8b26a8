import { setTimeout as sleep } from 'node:timers/promises';
import { type Runner, TOO_LATE } from './conversation.ts';
import type { Answer, Ask } from './protocol.ts';

/** A runner that may end. From then on all requests fail. */
export interface MortalRunner extends Runner {
  /** Settles once the file is open, or cannot be opened. */
  readonly opened: Promise<Answer>;
  isOver(): boolean;
}

/** A runner that failed to start. */
const refused = (answer: Answer<never>): MortalRunner => ({
  opened: Promise.resolve(answer),
  isOver: () => true,
  ask: async () => answer,
  async close() {},
});

/** A runner that is replaced when it ends. */
export interface LastingRunner extends Runner {
  /** Settles once the file is open, or cannot be opened, however long that takes. */
  opened(): Promise<Answer>;
}

/**
 * The least time between two starts, in milliseconds. A file that cannot be opened ends each thread at once, and a start
 * costs as much as hundreds of writes. Requests that come meanwhile wait and share the next runner.
 */
const START_EVERY = 250;

/**
 * Creates a runner that starts with the first request. When it ends, because it can no longer use the file, the next
 * request starts another one, which opens whatever is there by then.
 */
export const createLasting = (start: () => MortalRunner, timeout: number): LastingRunner => {
  let current = refused({ failure: { reason: 'failing', cause: new Error('the store is closed') } });
  let started = Number.NEGATIVE_INFINITY;
  let next: { readonly whole: Promise<MortalRunner>; readonly inTime: Promise<MortalRunner> } | undefined;
  let isClosed = false;

  const restart = async (): Promise<MortalRunner> => {
    await sleep(Math.max(0, started + START_EVERY - performance.now()));
    started = performance.now();
    if (!isClosed) current = start();
    await current.opened;
    next = undefined;
    return current;
  };
  /** While a start takes too long all requests fail at once: see `createConversation`. */
  const findNext = () => {
    if (next) return next;
    const whole = restart();
    next = {
      whole,
      inTime: Promise.race([whole, sleep(timeout, refused(TOO_LATE), { ref: false })]),
    };
    return next;
  };

  return {
    opened: async () => (current.isOver() ? await findNext().whole : current).opened,
    ask: async <Row>(what: Ask, within?: number): Promise<Answer<Row>> =>
      (current.isOver() ? await findNext().inTime : current).ask<Row>(what, within),
    async close() {
      isClosed = true;
      await current.close();
    },
  };
};
