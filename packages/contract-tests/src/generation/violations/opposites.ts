import fc from 'fast-check';
import { type Json, toJson } from '../../values/json.ts';
import type { Schema, SchemaObject } from '../../values/schema.ts';
import { type FindIn, violation } from './violation.ts';

/** A keyword negated: the schema without it, and a schema of values that break it. */
interface Opposite {
  readonly what: string;
  readonly rest: SchemaObject;
  readonly instead: Schema;
}

/** The size of the largest object or array that is generated. */
const LARGEST = 100;

/** The keywords that cannot be broken by changing a valid value. */
const oppositesOf = (flat: SchemaObject): Opposite[] => {
  const { not, minProperties = 0, maxProperties = LARGEST, propertyNames } = flat;
  const { contains, minContains = 1, maxContains = LARGEST } = flat;
  const uncounted = { ...flat, contains: undefined, minContains: undefined, maxContains: undefined };
  const found: Opposite[] = [];
  if (not !== undefined)
    found.push({ what: 'as it must not be', rest: { ...flat, not: undefined }, instead: not });
  if (minProperties > 0)
    found.push({
      what: `of fewer than ${minProperties} members`,
      rest: { ...flat, minProperties: undefined },
      instead: minProperties === 1 ? { enum: [{}] } : { type: 'object', maxProperties: minProperties - 1 },
    });
  if (maxProperties < LARGEST)
    found.push({
      what: `of more than ${maxProperties} members`,
      rest: { ...flat, maxProperties: undefined },
      instead: { type: 'object', minProperties: maxProperties + 1 },
    });
  if (propertyNames !== undefined)
    found.push({
      what: 'with a name that is not allowed',
      rest: { ...flat, propertyNames: undefined },
      instead: { type: 'object', minProperties: 1, not: { propertyNames } },
    });
  if (contains !== undefined && minContains > 0)
    found.push({
      what: `with fewer than ${minContains} of what it must contain`,
      rest: uncounted,
      instead: { type: 'array', not: { contains, minContains } },
    });
  if (contains !== undefined && maxContains < LARGEST)
    found.push({
      what: `with more than ${maxContains} of what it may contain`,
      rest: uncounted,
      instead: { type: 'array', contains, minContains: maxContains + 1 },
    });
  return found;
};

/** How many samples are generated; the shortest, which is the easiest to read, is used. */
const SAMPLES = 20;

/** Finds values that break one keyword only, by generating them from a schema. */
export const createOpposites = (arbitraryOf: (schema: Schema) => fc.Arbitrary<Json>): FindIn<Json> => {
  const sample = (schema: Schema): Json[] => {
    try {
      const made = fc.sample(arbitraryOf(schema), { seed: 1, numRuns: SAMPLES });
      return made.sort((one, other) => toJson(one).length - toJson(other).length).slice(0, 1);
    } catch {
      return []; // the rest of the schema allows no such value, or none can be generated
    }
  };
  const known = new WeakMap<SchemaObject, { what: string; value: Json }[]>();
  const wrongValuesOf = (flat: SchemaObject) => {
    const values =
      known.get(flat) ??
      oppositesOf(flat).flatMap(({ what, rest, instead }) =>
        sample({ allOf: [rest, instead] }).map((value) => ({ what, value })),
      );
    known.set(flat, values);
    return values;
  };
  return (flat, _value, place) => wrongValuesOf(flat).map(({ what, value }) => violation(place, what, value));
};
