interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits many items for the price of one. */
export interface GroupCommit<Item, Result> {
  /** Settles with the item's own result, once the batch it went with is committed. */
  submit(item: Item): Promise<Result>;
  /** Settles once everything submitted so far has settled. */
  drain(): Promise<void>;
}

/**
 * Commits together what arrived together. Nobody waits for a timer: what came in while the last batch was
 * committing is the next batch. `commit` gives a result for each item, in order, or throws for all of them.
 */
export const createGroupCommit = <Item, Result>(
  commit: (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>,
  { maxBatch = 1024 } = {},
): GroupCommit<Item, Result> => {
  let queue: Waiting<Item, Result>[] = [];
  let running: Promise<void> | undefined;

  const commitBatch = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await commit(batch.map(({ item }) => item));
      if (results.length !== batch.length)
        throw new Error('commit gave another number of results than items');
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      // After one turn of the event loop every request that is ready has joined.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = queue.slice(0, maxBatch);
      queue = queue.slice(maxBatch);
      await commitBatch(batch);
    }
    running = undefined;
  };

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject });
        running ??= run();
      }),
    drain: async () => running,
  };
};
