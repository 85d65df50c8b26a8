import type { ErrorObject } from 'ajv';
import type { Evaluated } from 'ajv/dist/types/index.js';
import type { KnownKeys } from './identity.ts';
import { isTree, ownMember } from './pointer.ts';

/** What a schema has found out about a list or an object. */
export interface Outcome {
  /** One of them is enough to refuse it; `null` for one that is accepted. */
  readonly errors: readonly ErrorObject[] | null;
  readonly evaluated: Evaluated | undefined;
}

/**
 * What is found out about one value while it is judged and decoded. Every compiled schema is called on it (`this`), so
 * that nothing about a value has to be found out twice, however often its schemas ask.
 */
export interface Inquiry {
  readonly value: unknown;
  /** The exact tree beside the value, see `Json`. */
  readonly exact: unknown;
  /** The exact trees beside the lists and objects in the value. */
  twins: Map<unknown, unknown> | undefined;
  /** What schemas that refer to themselves have found, for each list and object. */
  outcomes: Map<unknown, Map<unknown, Outcome>> | undefined;
  /** Which branches have a say in a list or an object. */
  verdicts: Map<unknown, Map<unknown, boolean>> | undefined;
  /** A text for each list and object that equal ones share. */
  keys: KnownKeys | undefined;
  /** How much may yet be looked at; see `STEPS`. */
  steps: number;
}

/** Begins to ask about a value. */
export const createInquiry = (value: unknown, exact: unknown): Inquiry => ({
  value,
  exact,
  twins: undefined,
  outcomes: undefined,
  verdicts: undefined,
  keys: undefined,
  steps: 0,
});

/** Where a value stands, as Ajv tells it. */
export interface Place {
  readonly parentData: unknown;
  readonly parentDataProperty: unknown;
}

const pairTrees = (value: unknown, exact: unknown): Map<unknown, unknown> => {
  const twins = new Map<unknown, unknown>();
  const pending = [value, exact];
  while (pending.length > 0) {
    const other = pending.pop();
    const one = pending.pop();
    if (!isTree(one) || !isTree(other)) continue;
    twins.set(one, other);
    for (const name of Object.keys(other)) if (isTree(other[name])) pending.push(one[name], other[name]);
  }
  return twins;
};

/** What stands in the exact tree for a value. Looked up by what holds it: to walk there would take as long as it is deep. */
export const exactOf = (inquiry: Inquiry, value: unknown, place: Place | undefined): unknown => {
  if (inquiry.exact === undefined) return undefined;
  if (value === inquiry.value) return inquiry.exact;
  inquiry.twins ??= pairTrees(inquiry.value, inquiry.exact);
  if (isTree(value)) return inquiry.twins.get(value);
  return ownMember(inquiry.twins.get(place?.parentData), String(place?.parentDataProperty));
};

/** What is known for a key, of those that a map has maps for. */
export const recallBy = <T>(known: Map<unknown, Map<unknown, T>>, key: unknown): Map<unknown, T> => {
  const found = known.get(key);
  if (found) return found;
  const made = new Map<unknown, T>();
  known.set(key, made);
  return made;
};
