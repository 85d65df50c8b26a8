import type { Operation } from './document/operations.ts';
import { literally } from './document/paths.ts';

/** The operations and phases of a run. Empty lists select everything. */
export interface Selection {
  /** `createThing`, `tag:admin`, `GET`, `/things/*`, `DELETE /things/{id}`; `*` matches any text. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly phases?: readonly string[] | undefined;
}

/** The options do not fit the contract: a name is unknown, or credentials are missing. */
export class CannotStart extends Error {}

const means = (pattern: string, { id, method, path, tags }: Operation): boolean => {
  const meant = new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`, 's');
  const names = [id, method, path, `${method} ${path}`, ...tags.map((tag) => `tag:${tag}`)];
  return names.some((name) => meant.test(name));
};

const requireMeaning = (patterns: readonly string[], operations: readonly Operation[]): void => {
  const useless = patterns.find((pattern) => !operations.some((operation) => means(pattern, operation)));
  if (useless === undefined) return;
  const known = operations.map(({ id }) => id).join(', ');
  throw new CannotStart(`there is no operation ${useless}; there are ${known}`);
};

/** Applies `include` and `exclude`. Throws if a pattern matches nothing. */
export const selectOperations = (
  operations: readonly Operation[],
  { include = [], exclude = [] }: Selection,
): Operation[] => {
  requireMeaning([...include, ...exclude], operations);
  const left = operations.filter(
    (operation) =>
      (include.length === 0 || include.some((pattern) => means(pattern, operation))) &&
      !exclude.some((pattern) => means(pattern, operation)),
  );
  if (left.length === 0) throw new CannotStart('--include and --exclude leave no operation');
  return left;
};

/** Applies `phases`. Throws if a name is unknown. */
export const selectPhases = <Named extends { readonly name: string }>(
  phases: readonly Named[],
  { phases: wanted = [] }: Selection,
): readonly Named[] => {
  const names = phases.map(({ name }) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new CannotStart(`there is no phase ${unknown}; there are ${names.join(', ')}`);
  return wanted.length === 0 ? phases : phases.filter(({ name }) => wanted.includes(name));
};
