import { memberPlace, oncePerKey, oncePerObject } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import type { Oracle } from '../../oracle/oracle.ts';
import { isObject, type Json, type Members } from '../../values/json.ts';
import { memberSchemasOf, ownOf, type Schema, type SchemaObject } from '../../values/schema.ts';
import type { ArbitraryOf } from '../arbitraries.ts';
import type { Flatten } from '../flatten.ts';
import { createOpposites } from './opposites.ts';
import { type Fault, type FindIn, type SamplesOf, type Violation, violation } from './violation.ts';
import { createWrongLengths, wrongMembers } from './wrong-containers.ts';
import { wrongNumbers } from './wrong-numbers.ts';
import { wrongTexts } from './wrong-texts.ts';
import { outsideEnum, wrongTypes } from './wrong-types.ts';

/** Keywords that a value of another type breaks as well. */
const BROKEN_WITH: Readonly<Partial<Record<string, SchemaObject>>> = {
  type: { enum: undefined, format: undefined },
};

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
  const opposites = createOpposites(samplesOf);
  const wrongLengths = createWrongLengths(samplesOf);
  /** A schema without a keyword; cached, because the oracle compiles each schema object. */
  const withoutKeyword = oncePerObject((flat: SchemaObject) =>
    oncePerKey(
      (keyword: string): SchemaObject => ({ ...flat, ...BROKEN_WITH[keyword], [keyword]: undefined }),
    ),
  );

  /** Turns a fault into a violation. A value that breaks only this keyword is preferred. */
  const commit = (flat: SchemaObject, place: string, { keyword, what, values }: Fault): Violation[] => {
    const wrong = values.filter((value) => !accepts(flat, value));
    const clean = wrong.find((value) => accepts(withoutKeyword(flat)(keyword), value));
    if (clean !== undefined) return [violation(place, what, clean)];
    return wrong.slice(0, 1).map((value) => violation(place, `${what}, and wrong in another way`, value));
  };

  return (schema: Schema, valid: Json, root = 'body'): Violation[] => {
    const find = (here: Schema, value: Json, place: string): Violation[] => {
      const alternatives = flatten(here);
      const flat = alternatives.find((alternative) => accepts(alternative, value));
      if (!flat) return [];
      const everywhere = [
        ...committed(flat, place, [...wrongTypes(flat, value), ...outsideEnum(flat, value)]),
        ...opposites(flat, place),
      ];
      const found = flat.enum ? everywhere : [...everywhere, ...findByType(flat, value, place)];
      // A service cannot know the intended branch of a union, so it may name the union.
      return alternatives.length > 1 ? found.map((each) => ({ ...each, named: place })) : found;
    };

    const committed = (flat: SchemaObject, place: string, faults: readonly Fault[]): Violation[] =>
      faults.flatMap((fault) => commit(flat, place, fault));

    const findByType: FindIn<Json> = (flat, value, place) => {
      if (typeof value === 'string') return committed(flat, place, wrongTexts(flat, value));
      if (typeof value === 'number' || typeof value === 'bigint')
        return committed(flat, place, wrongNumbers(flat, value));
      if (Array.isArray(value))
        return [...committed(flat, place, wrongLengths(flat, value)), ...findInItems(flat, value, place)];
      return isObject(value)
        ? [...wrongMembers(flat, value, place), ...findInMembers(flat, value, place)]
        : [];
    };

    const findInItems: FindIn<readonly Json[]> = ({ prefixItems = [], items = true }, value, place) =>
      value.flatMap((item, index) =>
        find(prefixItems[index] ?? items, item, `${place}[${index}]`).map((inside) => ({
          ...inside,
          kind: inside.kind.replace(`${place}[${index}]`, () => `${place}[]`),
          value: value.with(index, inside.value),
        })),
      );

    const findInMembers: FindIn<Members> = (flat, value, place) =>
      Object.entries(value).flatMap(([name, item]) => {
        const isNamed = ownOf(flat.properties, name) !== undefined;
        const here = memberPlace(place, name);
        return memberSchemasOf(flat, name)
          .flatMap((member) => find(member, item, here))
          .map((inside) => ({
            ...inside,
            kind: isNamed ? inside.kind : inside.kind.replace(here, () => `${place}.*`),
            value: { ...value, [name]: inside.value },
          }));
      });

    // A value that is invalid for one branch of a union may be valid for another.
    return find(schema, valid, root).filter(({ value }) => !accepts(schema, value));
  };
};
