/**
 * Does work on many items at once. Where one of them makes it fail, looks for it by halves, so that the others are
 * served: for k such items of n it takes about 2·k·log2(n) attempts, and never more than 2·n. They are done in order, one
 * half after the other. A failure that belongs to no item fails them all.
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
