import { isTree } from '../json/pointer.ts';

/** How many values a contract may have. */
export const MOST_VALUES = 3_000_000;

/**
 * How many of them may come from aliases, or from references that are written out. Fifty lines of YAML whose aliases hold
 * aliases would have more than fit into memory.
 */
export const MOST_COPIES = 300_000;

/** How deep values may be nested, aliases included. */
export const MOST_LEVELS = 200;

/** The values that an object stands for, itself included, and the levels below it. */
interface Extent {
  readonly values: number;
  readonly levels: number;
}

const SCALAR: Extent = { values: 1, levels: 0 };

/** Half of a surrogate pair is no character, and a name with one cannot stand in a reference. */
const checkName = (name: string): void => {
  if (!name.isWellFormed())
    throw new Error(`the name ${JSON.stringify(name)} holds half a character; write it in valid Unicode`);
};

/**
 * Throws if a value that was read, with its aliases written out, is too large, too deep, or holds itself, or if a name in
 * it is no valid text.
 */
export const checkBounds = (root: unknown): void => {
  /** What is known of each object; nothing yet while it is being measured. */
  const known = new Map<unknown, Extent | undefined>();
  let written = 0;
  const measure = (value: unknown, level: number): Extent => {
    if (!isTree(value)) return SCALAR;
    if (!known.has(value)) {
      if (level >= MOST_LEVELS) throw new Error(`it is nested deeper than ${MOST_LEVELS} levels`);
      known.set(value, undefined);
      let [values, levels] = [1, 0];
      written += 1;
      for (const key in value) {
        checkName(key);
        const below = measure(value[key], level + 1);
        values += below.values;
        levels = Math.max(levels, below.levels + 1);
        if (below === SCALAR) written += 1;
      }
      known.set(value, { values, levels });
    }
    const extent = known.get(value);
    if (!extent) throw new Error('an alias stands for something that holds the alias itself');
    if (extent.levels >= MOST_LEVELS) throw new Error(`it is nested deeper than ${MOST_LEVELS} levels`);
    return extent;
  };
  const { values } = measure(root, 0);
  if (values - written > MOST_COPIES)
    throw new Error(`its aliases stand for more than ${MOST_COPIES} values; use fewer of them`);
  if (values > MOST_VALUES) throw new Error(`it has more than ${MOST_VALUES} values`);
};
