/** How long a batch waits at most for clients that were just answered, in milliseconds. */
const LONGEST_WAIT = 20;

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

/**
 * The size of the next batch. After a small batch, a large one takes half of their sum: clients that wait for their
 * replies then send one half while the store commits the other.
 */
const balanced = (waiting: number, last: number): number =>
  last < waiting ? Math.ceil((last + waiting) / 2) : waiting;

/**
 * Creates a queue of items that wait for a batch. If a commit takes twice as long as all clients of the last batch need
 * to come back, at the pace of those before them, the next batch waits for everybody: one commit for all clients is then
 * quicker than one for each half.
 */
export const createBatchQueue = <Item>(maxBatch: number) => {
  const waiting: Item[] = [];
  let isGathering = false;
  let arrivals = 0;
  let lastArrival = 0;
  let ended = 0;
  let waitsUntil = 0;
  let everybody = 0;
  let stopWaiting: (() => void) | undefined;

  const waitForEverybody = (left: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, left);
      stopWaiting = () => resolve(clearTimeout(timer));
    });

  return {
    size: (): number => waiting.length,
    /** Whether a lane gathers a batch now. */
    isGathering: (): boolean => isGathering,
    add(item: Item): void {
      waiting.push(item);
      arrivals += 1;
      lastArrival = performance.now();
      if (waiting.length === everybody) stopWaiting?.();
    },
    /** Whether the next batch leaves without further items: as many wait as the last one had. */
    isReady: (last: number): boolean => waiting.length >= last && everybody === 0,
    /** Waits until every request that is ready has joined the next batch. */
    async gather(): Promise<void> {
      isGathering = true;
      const left = waitsUntil - performance.now();
      if (waiting.length < everybody && left > 0) await waitForEverybody(left);
      await turnOfTheLoop();
      isGathering = false;
    },
    /** Takes the next batch, after one of `last` items. */
    take(last: number): Item[] {
      const size = everybody > 0 ? waiting.length : balanced(waiting.length, last);
      return waiting.splice(0, Math.min(maxBatch, size));
    },
    /** Notes a commit of `size` items that took `took` milliseconds; 0 if it has failed. */
    committed(size: number, took: number): void {
      const clients = Math.min(waiting.length + size, maxBatch);
      const perArrival = arrivals === 0 ? Number.POSITIVE_INFINITY : (lastArrival - ended) / arrivals;
      everybody = 2 * perArrival * clients < took ? clients : 0;
      ended = performance.now();
      waitsUntil = ended + Math.min(took, LONGEST_WAIT);
      arrivals = 0;
      lastArrival = ended;
    },
  };
};
