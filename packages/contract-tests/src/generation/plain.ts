import { oncePerObject, toJson } from '@trellis/openapi/internal/json';
import { formatText } from '@trellis/openapi/internal/values';
import fc from 'fast-check';
import type { Judge } from '../schemas/flatten.ts';
import { distinctBy, identityOf, type Json } from '../values/json.ts';
import { floorOf, times, toPlain } from '../values/numbers.ts';
import { ownOf, type Schema, type SchemaObject } from '../values/schema.ts';
import { type ArbitraryOf, typesOf } from './arbitraries.ts';

/** How to make a plain value. */
export interface PlainOptions {
  readonly isFull: boolean;
  /** Makes values distinct, so that a service that stores them finds no conflict. */
  readonly count: number;
}

/** The depth of plain values, and of their optional members. */
const DEEPEST = 8;
const DEEPEST_OPTIONAL = 4;
const SAMPLES = 10;

const textFor = ({ minLength = 0, maxLength = Infinity }: SchemaObject, count: number): string =>
  `thing${count}`.slice(-maxLength).padEnd(minLength, 'g');

const numbersFor = ({ multipleOf, minimum = 0, maximum = minimum }: SchemaObject, count: number) => {
  const step = multipleOf || 1; // 0 is invalid, but may be in a contract
  const start = floorOf(minimum > 0 ? minimum : 0, step);
  return [times(start + BigInt(count + 1), step), maximum].map(toPlain);
};

const shortest = (values: fc.Arbitrary<Json>, count: number): Json | undefined => {
  const made = fc.sample(values, { seed: count + 1, numRuns: SAMPLES });
  const filled = made.filter((value) => value !== '' && value !== null);
  return (filled.length > 0 ? filled : made).sort(
    (one, other) => toJson(one).length - toJson(other).length,
  )[0];
};

type MakePart = (schema: Schema, options: PlainOptions) => Json | undefined;

const arraysOf = (flat: SchemaObject, options: PlainOptions, make: MakePart): Json[] => {
  const { prefixItems = [], minItems = 0, items = true } = flat;
  const length = Math.max(minItems, prefixItems.length, 1);
  if (length > 100) return [];
  const made = Array.from({ length }, (_, index) =>
    make(prefixItems[index] ?? items, { ...options, count: options.count + index }),
  ).filter((item) => item !== undefined);
  return made.length === length ? [made, distinctBy(made, identityOf), []] : [[]];
};

const objectsOf = (flat: SchemaObject, options: PlainOptions, make: MakePart): Json[] => {
  const { properties = {}, required = [] } = flat;
  const objectOf = (names: readonly string[]): Json =>
    Object.fromEntries(
      names.flatMap((name) => {
        const member = make(ownOf(properties, name) ?? flat.additionalProperties ?? true, options);
        return member === undefined ? [] : [[name, member]];
      }),
    );
  const all = options.isFull ? new Set([...required, ...Object.keys(properties)]) : new Set(required);
  return all.size === required.length ? [objectOf(required)] : [objectOf([...all]), objectOf(required)];
};

const candidatesOf = (flat: SchemaObject, options: PlainOptions, make: MakePart): Json[] => {
  if (flat.enum) return [...flat.enum];
  const { count } = options;
  return typesOf(flat).flatMap((type): Json[] => {
    if (type === 'string' || type === 'anything')
      return [formatText(flat.format)?.(count) ?? textFor(flat, count)];
    if (type === 'integer' || type === 'number') return numbersFor(flat, count);
    if (type === 'boolean') return [true];
    if (type === 'array') return arraysOf(flat, options, make);
    return type === 'object' ? objectsOf(flat, options, make) : [];
  });
};

/** Creates plain values of a schema: short and readable, or samples where no plain value fits. */
export const createPlain = ({ flatten, accepts }: Judge, arbitraryOf: ArbitraryOf) => {
  const wordsOf = oncePerObject((schema: SchemaObject) => arbitraryOf(schema, 'word'));
  const plain = (schema: Schema, options: PlainOptions, depth: number): Json | undefined => {
    if (depth > DEEPEST) return undefined;
    const here = { ...options, isFull: options.isFull && depth < DEEPEST_OPTIONAL };
    const make: MakePart = (part, given) => plain(part, given, depth + 1);
    for (const flat of flatten(schema))
      for (const value of candidatesOf(flat, here, make)) if (accepts(schema, value)) return value;
    try {
      const values = typeof schema === 'boolean' ? arbitraryOf(schema, 'word') : wordsOf(schema);
      return shortest(values, options.count);
    } catch {
      return undefined; // callers skip the value
    }
  };

  /** Returns a plain value; `undefined` if no value can be generated. */
  return (schema: Schema, options: PlainOptions): Json | undefined => plain(schema, options, 0);
};

/** Creates plain values. */
export type PlainOf = ReturnType<typeof createPlain>;
