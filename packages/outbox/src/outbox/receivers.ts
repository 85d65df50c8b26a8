import type { DispatchLimits } from './limits.ts';

/** The state of a receiver. */
interface Receiver {
  /** Attempts under way. */
  ongoing: number;
  /** Failures since it has last answered. Attempts that were under way together count once. */
  failures: number;
  failedAt: number;
  pausedUntil: number;
}

/** The outcome of an attempt. */
export type Answer = 'answered' | 'unanswered' | 'unknown';

/** The longest pause of a receiver, in milliseconds. */
const LONGEST_PAUSE = 60_000;
/** How long after its pause a receiver is forgotten, in milliseconds. */
const FORGET_AFTER = 600_000;
/** Maximum number of receivers that are known, and of those served in a round: a query has a limited number of values. */
const MOST_KNOWN = 1000;

/** Forgets the receiver that is known the longest and has no attempt under way. Its pause ends. */
const forgetOne = (known: Map<string, Receiver>): void => {
  for (const [name, { ongoing }] of known) if (ongoing === 0) return void known.delete(name);
};

/** Pauses a receiver that has not answered: each time for twice as long. */
const pause = (receiver: Receiver, firstPause: number, longest: number): void => {
  receiver.failedAt = performance.now();
  receiver.pausedUntil = receiver.failedAt + Math.min(firstPause * 2 ** receiver.failures, longest);
  receiver.failures += 1;
};

/**
 * Limits attempts by receiver. A receiver has a number of attempts at once. After one without an answer it is paused, and
 * then has one attempt at a time until it answers. In each round each receiver has its turn.
 */
export const createReceivers = ({
  concurrency,
  perReceiver,
  firstPause,
  longestPause,
}: Pick<DispatchLimits, 'concurrency' | 'perReceiver' | 'firstPause' | 'longestPause'>) => {
  const known = new Map<string, Receiver>();
  const served = new Set<string>();
  const most = Math.max(1, Math.min(perReceiver, Math.floor(concurrency / 2)));
  const longest = Math.min(LONGEST_PAUSE, longestPause);

  const isFree = ({ ongoing, failures, pausedUntil }: Receiver, now: number): boolean =>
    ongoing < (failures > 0 ? 1 : most) && now >= pausedUntil;

  /** Begins an attempt, and returns the function that ends it. */
  const begin = (name: string, receiver: Receiver): ((answer: Answer) => void) => {
    if (known.size >= MOST_KNOWN && !known.has(name)) forgetOne(known);
    if (served.size >= MOST_KNOWN) served.clear();
    known.set(name, receiver);
    served.add(name);
    receiver.ongoing += 1;
    const begunAt = performance.now();
    return (answer) => {
      receiver.ongoing -= 1;
      if (answer === 'answered') Object.assign(receiver, { failures: 0, pausedUntil: 0 });
      if (answer === 'unanswered' && begunAt >= receiver.failedAt) pause(receiver, firstPause, longest);
      if (receiver.ongoing === 0 && receiver.failures === 0) known.delete(name);
    };
  };

  return {
    /** The state of a receiver, and how an attempt begins. An event without a receiver is limited by its key alone. */
    of(name: string | undefined) {
      if (name === undefined)
        return { hasFailed: false, isFree: true, isServed: false, begin: () => () => {} };
      const receiver = known.get(name) ?? { ongoing: 0, failures: 0, failedAt: 0, pausedUntil: 0 };
      return {
        /** Whether it has not answered the last attempt. */
        hasFailed: receiver.failures > 0,
        isFree: isFree(receiver, performance.now()),
        isServed: served.has(name),
        begin: () => begin(name, receiver),
      };
    },
    /** Receivers that have had an attempt in this round. */
    served: (): string[] => [...served],
    beginRound: (): void => served.clear(),
    /** Receivers that take no attempt now, and if wanted those that have failed. */
    closed(alsoFailed: boolean): string[] {
      const now = performance.now();
      const names: string[] = [];
      for (const [name, receiver] of known) {
        if (receiver.ongoing === 0 && now > receiver.pausedUntil + FORGET_AFTER) known.delete(name);
        else if (!isFree(receiver, now) || (alsoFailed && receiver.failures > 0)) names.push(name);
      }
      return names;
    },
  };
};
