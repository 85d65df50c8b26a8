import fc from 'fast-check';
import { isObject, type Json } from '../../values/json.ts';
import { isSchema, type Schema } from '../../values/schema.ts';
import { type Violation, violation } from './violation.ts';

/** How many samples of a branch are merged with those of another. */
const SAMPLES = 3;

/** Makes a function that finds objects that several branches of a `oneOf` might accept. The caller drops what is valid. */
export const createTwoBranches = (
  resolve: (ref: string) => unknown,
  arbitraryOf: (schema: Schema) => fc.Arbitrary<Json>,
) => {
  const sample = (schema: Schema): Json[] => {
    try {
      return fc.sample(arbitraryOf(schema), { seed: 1, numRuns: SAMPLES }).filter(isObject);
    } catch {
      return []; // no value of the branch can be generated
    }
  };
  const merged = (branches: readonly Schema[]): Json[] => {
    const [[one] = [], [other] = []] = branches.map(sample).filter((values) => values.length > 0);
    return isObject(one) && isObject(other) ? [{ ...one, ...other }] : [];
  };
  const branchesOf = (schema: unknown): readonly Schema[] => {
    if (!isSchema(schema) || typeof schema === 'boolean') return [];
    return schema.oneOf ?? (schema.$ref === undefined ? [] : branchesOf(resolve(schema.$ref)));
  };
  const known = new WeakMap<readonly Schema[], Json[]>();
  return (schema: Schema, place: string): Violation[] => {
    const branches = branchesOf(schema);
    const values = known.get(branches) ?? merged(branches);
    known.set(branches, values);
    return values.map((value) => violation(place, 'as two of its branches at once', value));
  };
};
