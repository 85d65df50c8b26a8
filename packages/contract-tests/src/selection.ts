import type { Operation } from './document/operations.ts';
import { literally } from './document/paths.ts';

/** Which operations and phases a run is about. Everything, if nothing is named. */
export interface Selection {
  /** `createThing`, `tag:admin`, `GET`, `/things/*`, `DELETE /things/{id}`; `*` stands for any text. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly phases?: readonly string[] | undefined;
  readonly skippedPhases?: readonly string[] | undefined;
}

/** The options do not fit the contract: one names what is not there, or credentials are missing. */
export class CannotStart extends Error {}

const METHOD = /^(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE)$/i;

const matches = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`, 's').test(text);

/** Whether a pattern means this operation. */
const means = (pattern: string, { id, method, path, tags }: Operation): boolean => {
  if (pattern.startsWith('tag:')) return tags.some((tag) => matches(pattern.slice(4), tag));
  if (pattern.startsWith('/')) return matches(pattern, path);
  const [, verb = '', rest = ''] = /^(\S+)\s+(\/.*)$/.exec(pattern) ?? [];
  if (verb !== '') return matches(verb.toUpperCase(), method) && matches(rest, path);
  return METHOD.test(pattern) ? pattern.toUpperCase() === method : matches(pattern, id);
};

const requireMeaning = (patterns: readonly string[], operations: readonly Operation[]): void => {
  const useless = patterns.find((pattern) => !operations.some((operation) => means(pattern, operation)));
  if (useless === undefined) return;
  const known = operations.map(({ id }) => id).join(', ');
  throw new CannotStart(`there is no operation ${useless}; there are ${known}`);
};

/** The operations that a selection leaves. Throws if one of its patterns means none of them. */
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

/** The phases that a selection leaves. Throws if it names one that is not there. */
export const selectPhases = <Named extends { readonly name: string }>(
  phases: readonly Named[],
  { phases: wanted = [], skippedPhases = [] }: Selection,
): Named[] => {
  const names = phases.map(({ name }) => name);
  const unknown = [...wanted, ...skippedPhases].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new CannotStart(`there is no phase ${unknown}; there are ${names.join(', ')}`);
  const left = phases.filter(
    ({ name }) => (wanted.length === 0 || wanted.includes(name)) && !skippedPhases.includes(name),
  );
  if (left.length === 0) throw new CannotStart('--phase and --skip-phase leave no phase');
  return left;
};
