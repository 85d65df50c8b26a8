import { isTree } from '../json/pointer.ts';

/**
 * How many values a file of a contract may have, with its aliases written out, and how many objects all of it: fifty
 * lines of YAML whose aliases hold aliases would have more than fit into memory.
 */
export const MOST_VALUES = 3_000_000;

/** Most levels of nesting. A YAML alias inside its own anchor would nest endlessly. */
export const MOST_LEVELS = 200;

/** Half of a surrogate pair is no character, and a name with one cannot stand in a reference. */
const checkName = (name: string): void => {
  if (!name.isWellFormed())
    throw new Error(`the name ${JSON.stringify(name)} holds half a character; write it in valid Unicode`);
};

/** Throws if a value that was read is too large or too deep, or if a name in it is no valid text. */
export const checkBounds = (root: unknown): void => {
  let values = 0;
  const check = (value: unknown, level: number): void => {
    values += 1;
    if (values > MOST_VALUES) throw new Error(`it has more than ${MOST_VALUES} values, aliases included`);
    if (!isTree(value)) return;
    if (level >= MOST_LEVELS) throw new Error(`it is nested deeper than ${MOST_LEVELS} levels`);
    for (const key in value) {
      checkName(key);
      check(value[key], level + 1);
    }
  };
  check(root, 0);
};
