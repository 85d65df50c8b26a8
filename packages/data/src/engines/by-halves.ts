/**
 * Works on many items at once. If one item makes the work fail, halves the list until it is found, so that the others
 * succeed: k bad items of n take about 2·k·log2(n) attempts, and never more than 2·n. Items are done in order. A failure
 * that no single item causes fails them all.
 */
export const doByHalves = async <Item, Result>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { isOfItem, toResult }: { isOfItem: (error: unknown) => boolean; toResult: (error: unknown) => Result },
): Promise<readonly Result[]> => {
  const attempt = async (some: readonly Item[]): Promise<readonly Result[]> => {
    try {
      return await work(some);
    } catch (error) {
      if (!isOfItem(error)) throw error;
      if (some.length <= 1) return some.map(() => toResult(error));
      const middle = some.length >> 1;
      return [...(await attempt(some.slice(0, middle))), ...(await attempt(some.slice(middle)))];
    }
  };
  return attempt(items);
};
