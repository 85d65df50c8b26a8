import { isTree, ownMember, type Tree, toInt64 } from '@trellis/openapi/internal/json';
import type { Accepts } from '../validation/references.ts';
import type { ValidationContext } from '../validation/validation-context.ts';

/** The changes to make to a value once all of it has been visited. Removals go last. */
interface Edits {
  readonly context: ValidationContext;
  readonly changes: (() => void)[];
  removals: (() => void)[] | undefined;
  /** The lists and objects that each recursive schema has visited. */
  seen: Map<Visit, Set<unknown>> | undefined;
}

/** Collects the edits that `holder[key]` needs; `exact` is its exact tree. */
export type Visit = (holder: Tree, key: string, exact: unknown, edits: Edits) => void;

/** Whether a keyword applies to a member, or item. */
export type IsCovered = (name: string, value: Tree, exact: unknown, context: ValidationContext) => boolean;

/** Whether a recursive schema has visited a value before. Without that, branches would double the work with every level. */
const hasSeen = (edits: Edits, visit: Visit, value: unknown): boolean => {
  if (!isTree(value)) return false;
  edits.seen ??= new Map();
  const values = edits.seen.get(visit) ?? new Set();
  if (values.has(value)) return true;
  edits.seen.set(visit, values.add(value));
  return false;
};

/** Replaces a number by the bigint that was sent. */
export const visitInt64: Visit = (holder, key, exact, { changes }) => {
  const value = holder[key];
  if (typeof value !== 'number') return;
  const int64 = toInt64(value, exact);
  if (int64 !== undefined)
    changes.push(() => {
      holder[key] = int64;
    });
};

/** Visits the member, or item, of a name. */
export const visitMember =
  (ofArrays: boolean, name: string, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    const value = holder[key];
    if (isTree(value) && Array.isArray(value) === ofArrays && Object.hasOwn(value, name))
      visit(value, name, ownMember(exact, name), edits);
  };

/** Visits every member, or item, that a keyword applies to. */
export const visitMembers =
  (ofArrays: boolean, isCovered: IsCovered, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    const value = holder[key];
    if (!isTree(value) || Array.isArray(value) !== ofArrays) return;
    for (const name of Object.keys(value))
      if (isCovered(name, value, exact, edits.context)) visit(value, name, ownMember(exact, name), edits);
  };

/** Visits a value by a schema that may apply to it. */
export const visitBranch =
  (applies: Accepts, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    if (applies(holder[key], exact, edits.context)) visit(holder, key, exact, edits);
  };

/** Adds the default of a member that was not sent, if it fits. */
export const visitMissing =
  (name: string, isFit: () => boolean, makeDefault: () => unknown): Visit =>
  (holder, key, _exact, { changes }) => {
    const value = holder[key];
    if (!isTree(value) || Array.isArray(value) || Object.hasOwn(value, name)) return;
    if (!isFit()) return;
    changes.push(() => {
      if (Object.hasOwn(value, name)) return;
      Object.defineProperty(value, name, {
        value: makeDefault(),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    });
  };

/** Removes a member that is `readOnly`. */
export const visitLeftOut =
  (name: string): Visit =>
  (holder, key, _exact, edits) => {
    const value = holder[key];
    if (!isTree(value) || Array.isArray(value)) return;
    edits.removals ??= [];
    edits.removals.push(() => Reflect.deleteProperty(value, name));
  };

/**
 * Visits a value by all parts of its schema. They are compiled for the first value: schemas may be recursive. A recursive
 * schema visits each list and object once.
 */
export const visitAll = (compile: () => readonly Visit[], isRecursive: boolean): Visit => {
  let parts: readonly Visit[] | undefined;
  const visit: Visit = (holder, key, exact, edits) => {
    if (isRecursive && hasSeen(edits, visit, holder[key])) return;
    parts ??= compile();
    for (const part of parts) part(holder, key, exact, edits);
  };
  return visit;
};

/** Decodes `holder[key]`, which its schema accepts, in place. */
export type Decode = (holder: Tree, key: string, exact: unknown, context: ValidationContext) => void;

/**
 * Decodes in two steps: visits all of a value, then applies the edits. The visit recurses where the schema does, as
 * validation did before it. The caller handles values that are nested too deeply for the call stack.
 */
export const createDecode =
  (visit: Visit): Decode =>
  (holder, key, exact, context) => {
    const edits: Edits = { context, changes: [], removals: undefined, seen: undefined };
    visit(holder, key, exact, edits);
    for (const change of edits.changes) change();
    if (edits.removals) for (const remove of edits.removals) remove();
  };
