import { StoreOverloaded } from '../plants/repository.ts';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits many items for the price of one. */
export interface GroupCommit<Item, Result> {
  /** Settles with the item's own result, once the batch it went with is committed; rejects at once if too many wait. */
  submit(item: Item): Promise<Result>;
  /** Settles once everything submitted so far has settled. */
  drain(): Promise<void>;
}

/** How much is done at once, and how much may wait. */
export interface GroupCommitLimits {
  readonly maxBatch?: number;
  readonly maxWaiting?: number;
  /** How many batches may be on their way at the same time. */
  readonly lanes?: number;
}

/** For one caller that creates very many, and bounds by itself how many wait. */
export const BULK: GroupCommitLimits = { maxBatch: 8192, maxWaiting: Number.POSITIVE_INFINITY };

/** Is told how a group commit is doing. */
export interface CommitObserver {
  /** Gets to know, once, how to ask how many items wait. */
  watchQueue(depth: () => number): void;
  committed(size: number, seconds: number): void;
  failed(seconds: number): void;
}

/** How long what waits is kept for the batch after the one that is committing, in milliseconds, where another lane is free. */
const PATIENCE = 5;

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Commits together what arrived together. Nobody waits for more to come: what came in while the last batch was
 * committing is the next batch. One full batch after the other costs a store least, so another lane is only for a store
 * that is slow, or for more than a batch holds. `commit` gives a result for each item, in order, or throws for all of them.
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
  observer?.watchQueue(() => waiting.length);

  const commitBatch = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    const started = performance.now();
    const secondsSince = () => (performance.now() - started) / 1000;
    try {
      const results = await commit(batch.map(({ item }) => item));
      if (results.length !== batch.length)
        throw new Error('commit gave another number of results than items');
      observer?.committed(batch.length, secondsSince());
      let index = 0;
      for (const result of results) batch[index++]?.resolve(result);
    } catch (error) {
      observer?.failed(secondsSince());
      for (const { reject } of batch) reject(error);
    }
  };

  const runLane = async (): Promise<void> => {
    while (waiting.length > 0 && !gathering) {
      gathering = true;
      await turnOfTheLoop(); // every request that is ready joins
      const batch = waiting.splice(0, maxBatch);
      gathering = false;
      clearTimeout(patience);
      patience = undefined;
      offerLane();
      await commitBatch(batch);
    }
    open -= 1; // in the same breath as the look at what is waiting: nobody may come in between
    if (open === 0) for (const tell of drained.splice(0)) tell();
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
        waiting.push({ item, resolve, reject });
        offerLane();
      }),
    drain: () =>
      new Promise((resolve) => {
        if (open === 0) resolve();
        else drained.push(resolve);
      }),
  };
};
