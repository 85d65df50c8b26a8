import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { StoreOverloaded, StoreUnavailable } from './errors.ts';

/** Called once a batch is committed or has failed, for each of its items, with the result of the item or the error. */
export type OnSettled = (outcome: unknown, batchSize: number) => void;

/** Receives the measurements of a group commit, for metrics and traces. */
export interface CommitObserver {
  /** Called for each queue, with a function that returns the number of waiting items. */
  watchQueue(depth: () => number): void;
  committed(size: number, seconds: number): void;
  failed(seconds: number): void;
  /** Called when an item is submitted, in the caller's context, to follow that item alone. */
  followItem?: (() => OnSettled | undefined) | undefined;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  readonly onSettled: OnSettled | undefined;
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

/**
 * The size of the next batch. After a small batch, a large one takes half of their sum: clients that wait for their
 * replies then send one half while the store commits the other.
 */
const balanced = (waiting: number, last: number): number =>
  last < waiting ? Math.ceil((last + waiting) / 2) : waiting;

const settleNothing = (): void => {};

/** Commits a batch, and gives a function that settles its items. */
const commitBatch = async <Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  commit: Commit<Item, Result>,
  observer: CommitObserver | undefined,
): Promise<() => void> => {
  const began = performance.now();
  try {
    const results = await commit(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error('commit gave another number of results than items');
    observer?.committed(batch.length, (performance.now() - began) / 1000);
    return () => {
      let index = 0;
      for (const result of results) {
        const item = batch[index++];
        item?.onSettled?.(result, batch.length);
        item?.resolve(result);
      }
    };
  } catch (error) {
    observer?.failed((performance.now() - began) / 1000);
    return () => {
      for (const { reject, onSettled } of batch) {
        onSettled?.(error, batch.length);
        reject(error);
      }
    };
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
) => {
  const waiting: Waiting<Item, Result>[] = [];
  const drained: (() => void)[] = [];
  let open = 0;
  let isGathering = false;
  let patience: NodeJS.Timeout | undefined;
  observer?.watchQueue(() => waiting.length);
  const runLane = async (): Promise<void> => {
    let lastSize = Number.POSITIVE_INFINITY;
    let settleLast = settleNothing;
    let hasTurned = false; // a store that never waits must not starve the event loop
    while (waiting.length > 0 && !isGathering) {
      if (!hasTurned || waiting.length < lastSize) {
        settleLast();
        settleLast = settleNothing;
        isGathering = true;
        await turnOfTheLoop(); // so that every request that is ready joins the batch
        isGathering = false;
      }
      const batch = waiting.splice(0, Math.min(maxBatch, balanced(waiting.length, lastSize)));
      lastSize = batch.length;
      patience = void clearTimeout(patience);
      offerLane();
      hasTurned = false;
      setImmediate(() => {
        hasTurned = true;
      });
      const committing = commitBatch(batch, commit, observer);
      settleLast();
      settleLast = await committing;
    }
    open -= 1; // synchronously after the check of `waiting`, so that no item is left behind
    settleLast();
    if (open === 0) for (const resolve of drained.splice(0)) resolve();
  };
  const openLane = (): void => {
    if (isGathering || waiting.length === 0 || open >= lanes) return;
    open += 1;
    void runLane();
  };
  const offerLane = (): void => {
    if (open === 0 || waiting.length >= maxBatch) openLane();
    else if (waiting.length > 0 && open < lanes) patience ??= setTimeout(openLane, PATIENCE);
  };
  return {
    /** Settles with the item's own result once its batch is committed; rejects at once if too many items wait. */
    submit: (item: Item) =>
      new Promise<Result>((resolve, reject) => {
        if (waiting.length >= maxWaiting) reject(new StoreOverloaded(`${maxWaiting} are waiting already`));
        else waiting.push({ item, resolve, reject, onSettled: observer?.followItem?.() });
        offerLane();
      }),
    /** Settles once everything submitted so far has settled. */
    drain: () => new Promise<void>((resolve) => void (open === 0 ? resolve() : drained.push(resolve))),
  };
};

/** Reports a write with its own commit to an observer. */
export const observeAlone = async <T>(
  observer: CommitObserver | undefined,
  write: () => Promise<T>,
): Promise<T> => {
  const onSettled = observer?.followItem?.();
  const began = performance.now();
  const secondsSince = () => (performance.now() - began) / 1000;
  try {
    const result = await write();
    observer?.committed(1, secondsSince());
    onSettled?.(result, 1);
    return result;
  } catch (error) {
    if (error instanceof StoreUnavailable) observer?.failed(secondsSince());
    onSettled?.(error, 1);
    throw error;
  }
};
