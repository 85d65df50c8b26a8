import { StoreOverloaded } from './errors.ts';
import { type CommitObserver, type OnSettled, toHarmless } from './observer.ts';

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

/** For one caller that writes very many items and limits by itself how many wait. */
export const BULK: GroupCommitLimits = { maxBatch: 8192, maxWaiting: Number.POSITIVE_INFINITY };

/** How long waiting items stay for the batch after the current one before they take a free lane, in milliseconds. */
const PATIENCE = 5;

/**
 * The size of the next batch. After a small batch, a large one takes half of their sum: clients that wait for their
 * replies then send one half while the store commits the other.
 */
const balanced = (waiting: number, last: number): number =>
  last < waiting ? Math.ceil((last + waiting) / 2) : waiting;

/** How long a batch waits at most for clients that were just answered, in milliseconds. */
const MOST_GATHERING = 20;

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Commits items that arrive together in one batch. Items that arrive while one batch commits are the next batch. If as
 * many wait, it leaves before the last one is answered, so that the store is busy meanwhile. If a commit takes twice as
 * long as the clients of the last one need to come back, the next commit waits for them: one commit for all clients is
 * then quicker than one for each half. Batches in sequence cost a store least, so a second lane opens only if the store
 * is slow or more items wait than a batch holds. `commit` returns a result for each item, in order, or throws for all.
 */
export const createGroupCommit = <Item, Result>(
  commit: (items: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>,
  { maxBatch = 1024, maxWaiting = 8192, lanes = 1 }: GroupCommitLimits = {},
  observer?: CommitObserver,
): GroupCommit<Item, Result> => {
  const waiting: Waiting<Item, Result>[] = [];
  const drained: (() => void)[] = [];
  let open = 0;
  let gathering = false;
  let patience: NodeJS.Timeout | undefined;
  let arrivals = { count: 0, last: 0 };
  /** When the last commit ended, and until when the next one waits for all its clients to be back. */
  let last = { ended: 0, until: 0, everybody: 0 };
  let endGathering: (() => void) | undefined;
  const { committed, failed, followItem } = toHarmless(observer);
  observer?.watchQueue(() => waiting.length);

  /** The next batch waits for the clients of this one if, at the pace of those before them, a commit takes twice as long. */
  const noteEnd = (took: number, size: number): void => {
    const ended = performance.now();
    const everybody = Math.min(waiting.length + size, maxBatch);
    const pace =
      arrivals.count === 0 ? Number.POSITIVE_INFINITY : (arrivals.last - last.ended) / arrivals.count;
    const isSoon = 2 * pace * everybody < took;
    last = { ended, until: ended + Math.min(took, MOST_GATHERING), everybody: isSoon ? everybody : 0 };
    arrivals = { count: 0, last: ended };
  };
  const gather = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, last.until - performance.now());
      endGathering = () => resolve(clearTimeout(timer));
    });

  /** Commits a batch, and gives a function that settles its items. */
  const commitBatch = async (batch: readonly Waiting<Item, Result>[]): Promise<() => void> => {
    const started = performance.now();
    const secondsSince = () => (performance.now() - started) / 1000;
    try {
      const results = await commit(batch.map(({ item }) => item));
      if (results.length !== batch.length)
        throw new Error('commit gave another number of results than items');
      const seconds = secondsSince();
      committed(batch.length, seconds);
      noteEnd(seconds * 1000, batch.length);
      return () => {
        let index = 0;
        for (const result of results) {
          const item = batch[index++];
          item?.onSettled?.(result, batch.length);
          item?.resolve(result);
        }
      };
    } catch (error) {
      failed(secondsSince());
      noteEnd(0, batch.length);
      return () => {
        for (const { reject, onSettled } of batch) {
          onSettled?.(error, batch.length);
          reject(error);
        }
      };
    }
  };

  const gatherBatch = async (): Promise<void> => {
    gathering = true;
    if (waiting.length < last.everybody && performance.now() < last.until) await gather();
    await turnOfTheLoop(); // so that every request that is ready joins the batch
    gathering = false;
  };

  const runLane = async (): Promise<void> => {
    let lastSize = Number.POSITIVE_INFINITY;
    let settleLast = () => {};
    let hasTurned = false;
    while (waiting.length > 0 && !gathering) {
      if (!hasTurned || waiting.length < lastSize || last.everybody > 0) {
        settleLast();
        settleLast = () => {};
        await gatherBatch();
      }
      const size = last.everybody > 0 ? waiting.length : balanced(waiting.length, lastSize);
      const batch = waiting.splice(0, Math.min(maxBatch, size));
      lastSize = batch.length;
      clearTimeout(patience);
      patience = undefined;
      offerLane();
      hasTurned = false; // a store that never waits must not starve the event loop
      setImmediate(() => {
        hasTurned = true;
      });
      const committing = commitBatch(batch);
      settleLast();
      settleLast = await committing;
    }
    open -= 1; // synchronously after the check of `waiting`, so that no item is left behind
    settleLast();
    if (open === 0) for (const resolve of drained.splice(0)) resolve();
  };

  const openLane = (): void => {
    if (gathering || waiting.length === 0 || open >= lanes) return;
    open += 1;
    void runLane();
  };

  const offerLane = (): void => {
    if (open === 0 || waiting.length >= maxBatch) openLane();
    else if (waiting.length > 0 && open < lanes) patience ??= setTimeout(openLane, PATIENCE);
  };

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= maxWaiting)
          return reject(new StoreOverloaded(`${maxWaiting} are waiting already`));
        waiting.push({ item, resolve, reject, onSettled: followItem() });
        arrivals.count += 1;
        arrivals.last = performance.now();
        if (waiting.length === last.everybody) endGathering?.();
        offerLane();
      }),
    drain: () =>
      new Promise((resolve) => {
        if (open === 0) resolve();
        else drained.push(resolve);
      }),
  };
};
