/** The most factors that are combined; more would take long and find little. */
const MOST_FACTORS = 40;

const keyOf = (factor: number, level: number, other: number, otherLevel: number): string =>
  factor < other ? `${factor} ${level} ${other} ${otherLevel}` : `${other} ${otherLevel} ${factor} ${level}`;

const everyPair = (levels: readonly number[]): Set<string> => {
  const pairs = new Set<string>();
  for (const [factor, count] of levels.entries())
    for (let other = factor + 1; other < levels.length; other += 1)
      for (let level = 0; level < count; level += 1)
        for (let otherLevel = 0; otherLevel < (levels[other] ?? 0); otherLevel += 1)
          pairs.add(keyOf(factor, level, other, otherLevel));
  return pairs;
};

/**
 * Rows in which every pair of levels of two factors comes together at least once, as few as a greedy search finds: most
 * faults that need a combination need two things only. `levels` has the number of levels of each factor.
 */
export const coverPairs = (given: readonly number[], most: number): number[][] => {
  const levels = given.slice(0, MOST_FACTORS);
  const left = everyPair(levels);
  const rows: number[][] = [];
  while (left.size > 0 && rows.length < most) {
    const row = new Map<number, number>();
    const gain = (factor: number, level: number): number =>
      [...row].filter(([other, taken]) => left.has(keyOf(factor, level, other, taken))).length;
    const [first = ''] = left;
    const [one = 0, oneLevel = 0, two = 0, twoLevel = 0] = first.split(' ').map(Number);
    row.set(one, oneLevel).set(two, twoLevel);
    for (const [factor, count] of levels.entries()) {
      if (row.has(factor)) continue;
      // Ties go to another level in each row, so that all levels come up.
      const order = Array.from({ length: count }, (_, index) => (index + rows.length) % count);
      const best = order.reduce((a, b) => (gain(factor, b) > gain(factor, a) ? b : a), order[0] ?? 0);
      row.set(factor, best);
    }
    for (const [factor, level] of row)
      for (const [other, otherLevel] of row)
        if (factor < other) left.delete(keyOf(factor, level, other, otherLevel));
    rows.push(levels.map((_, factor) => row.get(factor) ?? 0));
  }
  return rows;
};
