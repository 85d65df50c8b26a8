/** The largest offset of a list, far beyond the end of any list. */
const FARTHEST = 1e9;

/** How many items come before a page, and how many are on it. The contract lets pages begin anywhere. */
export const pageOf = (page: number, limit: number) => {
  const count = Math.max(limit, 1);
  return { skipped: Math.min((Math.max(page, 1) - 1) * count, FARTHEST), count };
};
