import { StoreOverloaded } from './errors.ts';

/** A place in the queue. */
export interface Slot {
  /** Settles once this slot may work. */
  readonly turn: Promise<void>;
  /** Leaves the queue, or ends the work. */
  leave(): void;
}

/** Limits concurrent work to `count`. Others wait, in order; with `maxWaiting` waiting already, the next is refused. */
export const createSlots = (count: number, maxWaiting: number) => {
  const working = new Set<Slot>();
  const waiting = new Map<Slot, () => void>();
  const drained: (() => void)[] = [];

  const admit = (): void => {
    for (const [slot, begin] of waiting) {
      if (working.size >= count) return;
      waiting.delete(slot);
      working.add(slot);
      begin();
    }
    if (working.size === 0) for (const resolve of drained.splice(0)) resolve();
  };

  return {
    waiting: (): number => waiting.size,
    enter(): Slot {
      if (waiting.size >= maxWaiting) throw new StoreOverloaded(`${maxWaiting} are waiting already`);
      let begin = (): void => {};
      const turn = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const slot: Slot = {
        turn,
        leave() {
          waiting.delete(slot);
          working.delete(slot);
          admit();
        },
      };
      waiting.set(slot, begin);
      admit();
      return slot;
    },
    /** Settles once no slot works or waits. */
    drain: (): Promise<void> =>
      new Promise((resolve) => {
        drained.push(resolve);
        admit();
      }),
  };
};

/** Creates a function that does work once all work before it has settled, even if the caller does not wait. */
export const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
};
