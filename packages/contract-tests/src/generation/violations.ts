import { memberPlace, oncePerKey, oncePerObject, toJson } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import type { Judge } from '../schemas/flatten.ts';
import { isObject, type Json, type Members, present } from '../values/json.ts';
import { isNumeric } from '../values/numbers.ts';
import { memberSchemasOf, ownOf, type Schema, type SchemaObject } from '../values/schema.ts';
import type { ArbitraryOf } from './arbitraries.ts';
import { createWrongLengths, wrongMembers } from './wrong-containers.ts';
import { wrongTexts } from './wrong-texts.ts';
import {
  type Fault,
  outsideEnum,
  type SamplesOf,
  type Violation,
  violation,
  wrongNumbers,
  wrongTypes,
} from './wrong-values.ts';

const LARGEST = 100;

/** A negated keyword: its description, the schema without it, and a schema of values that break it. */
type Opposite = readonly [what: string, rest: SchemaObject, instead: Schema];

/** Keywords that cannot be broken by changing a valid value. */
const oppositesOf = (flat: SchemaObject): Opposite[] => {
  const { not, minProperties = 0, maxProperties = LARGEST, propertyNames } = flat;
  return present<Opposite>(
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
  );
};

const SAMPLES = 20;

/** Creates a function that generates values which break one keyword, for keywords that `oppositesOf` lists. */
const createOpposites = (samplesOf: SamplesOf) => {
  const opposites = oncePerObject((flat: SchemaObject) =>
    oppositesOf(flat).flatMap(([what, rest, instead]) =>
      samplesOf({ allOf: [rest, instead] }, SAMPLES)
        // The shortest is the easiest to read.
        .sort((one, other) => toJson(one).length - toJson(other).length)
        .slice(0, 1)
        .map((value) => ({ what, value })),
    ),
  );
  return (flat: SchemaObject, place: string): Violation[] =>
    opposites(flat).map(({ what, value }) => violation(place, what, value));
};

/** Keywords that a value of another type breaks as well. */
const BROKEN_WITH: Readonly<Partial<Record<string, SchemaObject>>> = {
  type: { enum: undefined, format: undefined },
};

interface Search extends Judge {
  readonly opposites: ReturnType<typeof createOpposites>;
  readonly wrongLengths: ReturnType<typeof createWrongLengths>;
}

/** A schema without a keyword; cached, because the oracle compiles each schema object. */
const withoutKeyword = oncePerObject((flat: SchemaObject) =>
  oncePerKey((keyword: string): SchemaObject => ({ ...flat, ...BROKEN_WITH[keyword], [keyword]: undefined })),
);

/** Turns faults into violations. A value that breaks only its keyword is preferred. */
const toViolations = (
  { accepts }: Search,
  flat: SchemaObject,
  place: string,
  faults: readonly Fault[],
): Violation[] =>
  faults.flatMap(({ keyword, what, values }) => {
    const wrong = values.filter((value) => !accepts(flat, value));
    const clean = wrong.find((value) => accepts(withoutKeyword(flat)(keyword), value));
    if (clean !== undefined) return [violation(place, what, clean)];
    return wrong.slice(0, 1).map((value) => violation(place, `${what}, and wrong in another way`, value));
  });

const find = (search: Search, schema: Schema, value: Json, place: string): Violation[] => {
  const alternatives = search.flatten(schema);
  const flat = alternatives.find((alternative) => search.accepts(alternative, value));
  if (!flat) return [];
  const everywhere = [
    ...toViolations(search, flat, place, [...wrongTypes(flat, value), ...outsideEnum(flat, value)]),
    ...search.opposites(flat, place),
  ];
  const found = flat.enum ? everywhere : [...everywhere, ...findByType(search, flat, value, place)];
  // A service cannot know the intended branch of a union, so it may name the union.
  return alternatives.length > 1 ? found.map((each) => ({ ...each, named: place })) : found;
};

const findByType = (search: Search, flat: SchemaObject, value: Json, place: string): Violation[] => {
  if (typeof value === 'string') return toViolations(search, flat, place, wrongTexts(flat, value));
  if (isNumeric(value)) return toViolations(search, flat, place, wrongNumbers(flat, value));
  if (Array.isArray(value))
    return [
      ...toViolations(search, flat, place, search.wrongLengths(flat, value)),
      ...findInItems(search, flat, value, place),
    ];
  if (!isObject(value)) return [];
  return [...wrongMembers(flat, value, place), ...findInMembers(search, flat, value, place)];
};

const findInItems = (
  search: Search,
  { prefixItems = [], items = true }: SchemaObject,
  value: readonly Json[],
  place: string,
): Violation[] =>
  value.flatMap((item, index) =>
    find(search, prefixItems[index] ?? items, item, `${place}[${index}]`).map((inside) => ({
      ...inside,
      kind: inside.kind.replace(`${place}[${index}]`, () => `${place}[]`),
      value: value.with(index, inside.value),
    })),
  );

const findInMembers = (search: Search, flat: SchemaObject, value: Members, place: string): Violation[] =>
  Object.entries(value).flatMap(([name, item]) => {
    const isNamed = ownOf(flat.properties, name) !== undefined;
    const here = memberPlace(place, name);
    return memberSchemasOf(flat, name)
      .flatMap((member) => find(search, member, item, here))
      .map((inside) => ({
        ...inside,
        kind: isNamed ? inside.kind : inside.kind.replace(here, () => `${place}.*`),
        value: { ...value, [name]: inside.value },
      }));
  });

/** Creates a function that lists every violation of a valid value, with one thing wrong in each. */
export const createViolations = (judge: Judge, arbitraryOf: ArbitraryOf) => {
  const samplesOf: SamplesOf = (schema, numRuns) => {
    try {
      return fc.sample(arbitraryOf(schema), { seed: 1, numRuns });
    } catch {
      return [];
    }
  };
  const search: Search = {
    ...judge,
    opposites: createOpposites(samplesOf),
    wrongLengths: createWrongLengths(samplesOf),
  };
  // A value that is invalid for one branch of a union may be valid for another.
  return (schema: Schema, valid: Json, root = 'body'): Violation[] =>
    find(search, schema, valid, root).filter(({ value }) => !judge.accepts(schema, value));
};
