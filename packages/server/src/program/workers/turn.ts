/** A worker that may have the turn, unless it is about to end. */
interface Candidate {
  readonly isLeaving: boolean;
}

/** Creates a turn that one worker has at a time, until it gives it back or ends. */
export const createTurn = <Worker extends Candidate>() => {
  let holder: Worker | undefined;
  const waiting = new Map<Worker, () => void>();

  /** Gives the turn to the newest: while workers are replaced one after the other, that one stays. */
  const pass = (): void => {
    holder ??= [...waiting.keys()].findLast(({ isLeaving }) => !isLeaving);
    if (!holder) return;
    waiting.get(holder)?.();
    waiting.delete(holder);
  };

  return {
    /** Settles once the worker has the turn, or does not want it any more. */
    take: (worker: Worker): Promise<void> =>
      new Promise((resolve) => {
        waiting.set(worker, resolve);
        pass();
      }),
    /** Ends the turn of a worker, or its wait for it. */
    end(worker: Worker): void {
      waiting.get(worker)?.();
      waiting.delete(worker);
      if (holder === worker) holder = undefined;
      pass();
    },
  };
};
