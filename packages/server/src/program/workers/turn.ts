/** Creates a turn that one worker has at a time, until it gives it back or ends. The next one is the oldest that waits. */
export const createTurn = <Worker>() => {
  const queue: { readonly worker: Worker; readonly begin: () => void }[] = [];
  return {
    /** Settles once the worker has the turn, or does not want it any more. */
    take: (worker: Worker): Promise<void> =>
      new Promise((resolve) => {
        queue.push({ worker, begin: resolve });
        queue[0]?.begin();
      }),
    /** Ends the turn of a worker, or its wait for it. */
    end(worker: Worker): void {
      const index = queue.findIndex((each) => each.worker === worker);
      if (index >= 0) queue.splice(index, 1)[0]?.begin();
      queue[0]?.begin();
    },
  };
};
