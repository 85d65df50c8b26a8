import type { Oracle } from '../oracle/oracle.ts';
import { isObject, type Json } from '../values/json.ts';
import { memberSchemasOf, type Schema, type SchemaObject } from '../values/schema.ts';
import type { Flatten } from './flatten.ts';

/** A member of a value that may be there or not, or has few values to choose from. */
export interface Choice {
  /** The names that lead to it. */
  readonly way: readonly string[];
  /** What it can be; `undefined` if it is left out. */
  readonly levels: readonly (Json | undefined)[];
}

const MOST_LEVELS = 8;
const DEEPEST = 3;

/** The values that are worth a combination: those of an enum, both booleans, and null. */
export const fewValuesOf = (alternatives: readonly SchemaObject[], plain: Json): Json[] => {
  const few = alternatives.flatMap(({ enum: allowed, type }): Json[] => {
    const types = [type ?? []].flat();
    if (allowed) return [...allowed];
    return [...(types.includes('boolean') ? [true, false] : []), ...(types.includes('null') ? [null] : [])];
  });
  return [...new Set([plain, ...few])].slice(0, MOST_LEVELS);
};

/** Lists the choices in a value that has all its optional members. */
export const createChoices = (flatten: Flatten, { accepts }: Pick<Oracle, 'accepts'>) => {
  const choicesIn = (schema: Schema, value: Json, way: readonly string[] = []): Choice[] => {
    const flat = flatten(schema).find((each) => accepts(each, value));
    if (!flat || !isObject(value) || way.length >= DEEPEST) return [];
    return Object.entries(value).flatMap(([name, item]): Choice[] => {
      const [member = true] = memberSchemasOf(flat, name);
      const values = fewValuesOf(flatten(member), item).filter((each) => accepts(member, each));
      const levels = flat.required?.includes(name) ? values : [undefined, ...values];
      return [
        ...(levels.length > 1 ? [{ way: [...way, name], levels }] : []),
        ...choicesIn(member, item, [...way, name]),
      ];
    });
  };
  return choicesIn;
};

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
