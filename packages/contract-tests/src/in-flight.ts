/** Does the same with every item, so many at a time, and gives the results in the order of the items. */
export const inFlight = async <Item, Result>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  const left = items.entries();
  let hasFailed = false;
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of left) {
      if (hasFailed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const done = await Promise.allSettled(Array.from({ length: Math.min(atATime, items.length) }, takeTurns));
  for (const each of done) if (each.status === 'rejected') throw each.reason;
  return results;
};
