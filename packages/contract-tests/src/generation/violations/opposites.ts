import { oncePerObject, toJson } from '@trellis/openapi/internal/json';
import type { Json } from '../../values/json.ts';
import type { Schema, SchemaObject } from '../../values/schema.ts';
import { type SamplesOf, type Violation, violation } from './violation.ts';

const LARGEST = 100;

/** A negated keyword: its description, the schema without it, and a schema of values that break it. */
type Opposite = readonly [what: string, rest: SchemaObject, instead: Schema];

/** Keywords that cannot be broken by changing a valid value. */
const oppositesOf = (flat: SchemaObject): Opposite[] => {
  const { not, minProperties = 0, maxProperties = LARGEST, propertyNames } = flat;
  const found: readonly (Opposite | false)[] = [
    not !== undefined && ['as it must not be', { ...flat, not: undefined }, not],
    minProperties > 0 && [
      `of fewer than ${minProperties} members`,
      { ...flat, minProperties: undefined },
      minProperties === 1 ? { enum: [{}] } : { type: 'object', maxProperties: minProperties - 1 },
    ],
    maxProperties < LARGEST && [
      `of more than ${maxProperties} members`,
      { ...flat, maxProperties: undefined },
      { type: 'object', minProperties: maxProperties + 1 },
    ],
    propertyNames !== undefined && [
      'with a name that is not allowed',
      { ...flat, propertyNames: undefined },
      { type: 'object', minProperties: 1, not: { propertyNames } },
    ],
  ];
  return found.filter((each) => each !== false);
};

const SAMPLES = 20;

/** Creates a function that generates values which break one keyword, for keywords that `oppositesOf` lists. */
export const createOpposites = (samplesOf: SamplesOf) => {
  /** The shortest is the easiest to read. */
  const shortest = (values: Json[]): Json[] =>
    values.sort((one, other) => toJson(one).length - toJson(other).length).slice(0, 1);
  const opposites = oncePerObject((flat: SchemaObject) =>
    oppositesOf(flat).flatMap(([what, rest, instead]) =>
      shortest(samplesOf({ allOf: [rest, instead] }, SAMPLES)).map((value) => ({ what, value })),
    ),
  );

  return (flat: SchemaObject, place: string): Violation[] =>
    opposites(flat).map(({ what, value }) => violation(place, what, value));
};
