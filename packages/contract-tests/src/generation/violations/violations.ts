import { memberPlace, oncePerKey, oncePerObject } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import type { Oracle } from '../../oracle/oracle.ts';
import { isObject, type Json, type Members } from '../../values/json.ts';
import { isNumeric } from '../../values/numbers.ts';
import { memberSchemasOf, ownOf, type Schema, type SchemaObject } from '../../values/schema.ts';
import type { ArbitraryOf } from '../arbitraries.ts';
import type { Flatten } from '../flatten.ts';
import { createOpposites } from './opposites.ts';
import { type Fault, type SamplesOf, type Violation, violation } from './violation.ts';
import { createWrongLengths, wrongMembers } from './wrong-containers.ts';
import { wrongNumbers } from './wrong-numbers.ts';
import { wrongTexts } from './wrong-texts.ts';
import { outsideEnum, wrongTypes } from './wrong-types.ts';

/** Keywords that a value of another type breaks as well. */
const BROKEN_WITH: Readonly<Partial<Record<string, SchemaObject>>> = {
  type: { enum: undefined, format: undefined },
};

interface Search extends Pick<Oracle, 'accepts'> {
  readonly flatten: Flatten;
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
export const createViolations = (
  flatten: Flatten,
  { accepts }: Pick<Oracle, 'accepts'>,
  arbitraryOf: ArbitraryOf,
) => {
  const samplesOf: SamplesOf = (schema, numRuns) => {
    try {
      return fc.sample(arbitraryOf(schema), { seed: 1, numRuns });
    } catch {
      return [];
    }
  };
  const search: Search = {
    flatten,
    accepts,
    opposites: createOpposites(samplesOf),
    wrongLengths: createWrongLengths(samplesOf),
  };
  // A value that is invalid for one branch of a union may be valid for another.
  return (schema: Schema, valid: Json, root = 'body'): Violation[] =>
    find(search, schema, valid, root).filter(({ value }) => !accepts(schema, value));
};
