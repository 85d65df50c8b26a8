/** Items that are published once and streamed to all subscribers. */
export interface Feed<Item> {
  /** Gives an item to every subscriber. */
  readonly publish: (item: Item) => void;
  /**
   * The items that are published from now on, until the signal is aborted. Throws once the subscriber is further behind
   * than the feed remembers, which cuts its connection.
   */
  readonly subscribe: (signal: AbortSignal) => AsyncGenerator<Item, void>;
}

/**
 * Creates a feed. All subscribers share one buffer of the last items, so a slow reader takes no extra memory. The queue
 * of `on` in node:events is unlimited, and takes 32 KiB for each listener.
 *
 * @example
 * const feed = createFeed<{ id: bigint }>();
 * feed.publish({ id: 1n });
 */
export const createFeed = <Item>(remembered = 1000): Feed<Item> => {
  const recent: { readonly number: number; readonly item: Item }[] = [];
  const waiting = new Set<() => void>();
  let published = 0;

  const follow = async function* (from: number, signal: AbortSignal) {
    let goOn = (): void => {};
    signal.addEventListener('abort', () => goOn(), { once: true });
    for (let number = from; ; number += 1) {
      while (number === published && !signal.aborted) {
        await new Promise<void>((resolve) => {
          goOn = resolve;
          waiting.add(resolve);
        });
        waiting.delete(goOn);
      }
      if (signal.aborted) return;
      const next = recent[number % remembered];
      if (next?.number !== number)
        throw new Error(`the client is more than ${remembered} items of the feed behind`);
      yield next.item;
    }
  };

  return {
    publish(item) {
      recent[published % remembered] = { number: published, item };
      published += 1;
      for (const goOn of waiting) goOn();
    },
    subscribe: (signal) => follow(published, signal),
  };
};
