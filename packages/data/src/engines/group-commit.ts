import { createBatchQueue } from './batch-queue.ts';
import { StoreOverloaded } from './errors.ts';
import type { CommitObserver, OnSettled } from './observer.ts';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly onSettled: OnSettled | undefined;
}

/** Commits items in batches. */
export interface GroupCommit<Item, Result> {
  /** Settles with the item's own result once its batch is committed; rejects at once if too many items wait. */
  submit(item: Item): Promise<Result>;
  /** Settles once everything submitted so far has settled. */
  drain(): Promise<void>;
}

/** How large a batch may be, and how many items may wait. */
export interface GroupCommitLimits {
  readonly maxBatch?: number;
  readonly maxWaiting?: number;
  /** How many batches may be committing at the same time. */
  readonly lanes?: number;
}

/** Commits items, and returns a result for each, in order, or throws for all. */
type Commit<Item, Result> = (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>;

/** How long waiting items stay for the batch after the current one before they take a free lane, in milliseconds. */
const PATIENCE = 5;

const settleNothing = (): void => {};

/** Commits a batch, and gives its duration in milliseconds (0 if it has failed), and a function that settles its items. */
const commitBatch = async <Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  commit: Commit<Item, Result>,
  observer: CommitObserver | undefined,
): Promise<{ took: number; settle: () => void }> => {
  const began = performance.now();
  try {
    const results = await commit(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error('commit gave another number of results than items');
    const took = performance.now() - began;
    observer?.committed(batch.length, took / 1000);
    const settle = (): void => {
      let index = 0;
      for (const result of results) {
        const item = batch[index++];
        item?.onSettled?.(result, batch.length);
        item?.resolve(result);
      }
    };
    return { took, settle };
  } catch (error) {
    observer?.failed((performance.now() - began) / 1000);
    const settle = (): void => {
      for (const { reject, onSettled } of batch) {
        onSettled?.(error, batch.length);
        reject(error);
      }
    };
    return { took: 0, settle };
  }
};

/**
 * Commits items that arrive together in one batch. Items that arrive while one batch commits are the next batch. If as
 * many wait, it leaves before the last one is answered, so that the store is busy meanwhile. Batches in sequence cost a
 * store least, so a second lane opens only if the store is slow or more items wait than a batch holds.
 */
export const createGroupCommit = <Item, Result>(
  commit: Commit<Item, Result>,
  { maxBatch = 1024, maxWaiting = 8192, lanes = 1 }: GroupCommitLimits = {},
  observer?: CommitObserver,
): GroupCommit<Item, Result> => {
  const queue = createBatchQueue<Waiting<Item, Result>>(maxBatch);
  const drained: (() => void)[] = [];
  let open = 0;
  let patience: NodeJS.Timeout | undefined;
  observer?.watchQueue(queue.size);

  const runLane = async (): Promise<void> => {
    let lastSize = Number.POSITIVE_INFINITY;
    let settleLast = settleNothing;
    let hasTurned = false; // a store that never waits must not starve the event loop
    while (queue.size() > 0 && !queue.isGathering()) {
      if (!hasTurned || !queue.isReady(lastSize)) {
        settleLast();
        settleLast = settleNothing;
        await queue.gather();
      }
      const batch = queue.take(lastSize);
      lastSize = batch.length;
      clearTimeout(patience);
      patience = undefined;
      offerLane();
      hasTurned = false;
      setImmediate(() => {
        hasTurned = true;
      });
      const committing = commitBatch(batch, commit, observer);
      settleLast();
      const { took, settle } = await committing;
      queue.committed(batch.length, took);
      settleLast = settle;
    }
    open -= 1; // synchronously after the check of the queue, so that no item is left behind
    settleLast();
    if (open === 0) for (const resolve of drained.splice(0)) resolve();
  };
  const openLane = (): void => {
    if (queue.isGathering() || queue.size() === 0 || open >= lanes) return;
    open += 1;
    void runLane();
  };
  const offerLane = (): void => {
    if (open === 0 || queue.size() >= maxBatch) openLane();
    else if (queue.size() > 0 && open < lanes) patience ??= setTimeout(openLane, PATIENCE);
  };

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        if (queue.size() >= maxWaiting)
          return reject(new StoreOverloaded(`${maxWaiting} are waiting already`));
        queue.add({ item, resolve, reject, onSettled: observer?.followItem?.() });
        offerLane();
      }),
    drain: () => new Promise((resolve) => void (open === 0 ? resolve() : drained.push(resolve))),
  };
};
