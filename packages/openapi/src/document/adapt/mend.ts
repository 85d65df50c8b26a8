import type { Tree } from '../../json/pointer.ts';

/** Corrects the value of a member; returns `undefined` if the value has no meaning. */
export type Mend = (value: unknown) => unknown;

/** The entries of a table that mends these members in the same way. */
export const mendEach = (mend: Mend, ...keys: readonly string[]): [key: string, mend: Mend][] =>
  keys.map((key) => [key, mend]);

/** Keeps a value that passes a test. */
export const keep =
  (isRight: (value: unknown) => boolean): Mend =>
  (value) =>
    isRight(value) ? value : undefined;

/**
 * An object whose members are mended by a table, without those that mean nothing. One that is right stays the same
 * object.
 */
export const mendMembers = (
  object: Tree,
  table: ReadonlyMap<string, Mend>,
  onChange: (key: string, value: unknown, mended: unknown) => void,
): Tree => {
  let made = object;
  for (const [key, value] of Object.entries(object)) {
    const mend = table.get(key);
    const mended = mend ? mend(value) : value;
    if (mended === value) continue;
    if (made === object) made = { ...object };
    if (mended === undefined) delete made[key];
    else made[key] = mended;
    onChange(key, value, mended);
  }
  return made;
};
