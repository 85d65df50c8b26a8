import { oncePerObject, toJson } from '@trellis/openapi/json';
import { isObject, type Json } from '../../values/json.ts';
import { isSchema, type Schema, type SchemaObject } from '../../values/schema.ts';
import { type SamplesOf, type Violation, violation } from './violation.ts';

/** The size of the largest object or array that is generated. */
const LARGEST = 100;

/** A keyword negated: what that means, the schema without it, and a schema of values that break it. */
type Opposite = readonly [what: string, rest: SchemaObject, instead: Schema];

/** The keywords that cannot be broken by changing a valid value. */
const oppositesOf = (flat: SchemaObject): Opposite[] => {
  const { not, minProperties = 0, maxProperties = LARGEST, propertyNames } = flat;
  const { contains, minContains = 1, maxContains = LARGEST } = flat;
  const uncounted = { ...flat, contains: undefined, minContains: undefined, maxContains: undefined };
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
    contains !== undefined &&
      minContains > 0 && [
        `with fewer than ${minContains} of what it must contain`,
        uncounted,
        { type: 'array', not: { contains, minContains } },
      ],
    contains !== undefined &&
      maxContains < LARGEST && [
        `with more than ${maxContains} of what it may contain`,
        uncounted,
        { type: 'array', contains, minContains: maxContains + 1 },
      ],
  ];
  return found.filter((each) => each !== false);
};

/** How many samples are generated of a schema, and of a branch. */
const SAMPLES = 20;
const SAMPLES_OF_BRANCH = 3;

/** Finds values that can only be generated: those that break one keyword, and those of two branches of a union at once. */
export const createOpposites = (resolve: (ref: string) => unknown, samplesOf: SamplesOf) => {
  /** The shortest is the easiest to read. */
  const shortest = (values: Json[]): Json[] =>
    values.sort((one, other) => toJson(one).length - toJson(other).length).slice(0, 1);
  const opposites = oncePerObject((flat: SchemaObject) =>
    oppositesOf(flat).flatMap(([what, rest, instead]) =>
      shortest(samplesOf({ allOf: [rest, instead] }, SAMPLES)).map((value) => ({ what, value })),
    ),
  );

  const branchesOf = (schema: unknown): readonly Schema[] => {
    if (!isSchema(schema) || typeof schema === 'boolean') return [];
    return schema.oneOf ?? (schema.$ref === undefined ? [] : branchesOf(resolve(schema.$ref)));
  };
  const merged = oncePerObject((branches: readonly Schema[]): Json[] => {
    const samples = branches.map((branch) => samplesOf(branch, SAMPLES_OF_BRANCH).filter(isObject));
    const [[one] = [], [other] = []] = samples.filter((values) => values.length > 0);
    return one && other ? [{ ...one, ...other }] : [];
  });

  return {
    /** Values that break one keyword only. */
    opposites: (flat: SchemaObject, place: string): Violation[] =>
      opposites(flat).map(({ what, value }) => violation(place, what, value)),
    /** Objects that several branches of a `oneOf` might accept. The caller drops what is valid. */
    ofTwoBranches: (schema: Schema, place: string): Violation[] =>
      merged(branchesOf(schema)).map((value) => violation(place, 'as two of its branches at once', value)),
  };
};
