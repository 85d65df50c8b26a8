import type { Oracle } from '../../oracle/oracle.ts';
import { isObject, type Json } from '../../values/json.ts';
import { memberSchemasOf, ownOf, type Schema, type SchemaObject } from '../../values/schema.ts';
import type { createArbitraries } from '../arbitraries.ts';
import type { createFlatten } from '../flatten.ts';
import { createCommit } from './commit-fault.ts';
import { createOpposites } from './opposites.ts';
import { createTwoBranches } from './two-branches.ts';
import { type Fault, type FindIn, memberPlace, type Violation } from './violation.ts';
import { createWrongLengths, wrongMembers } from './wrong-containers.ts';
import { wrongNumbers } from './wrong-numbers.ts';
import { wrongTexts } from './wrong-texts.ts';
import { outsideEnum, wrongTypes } from './wrong-types.ts';

/** Makes every violation of a value that the schema accepts, with one thing wrong in each. */
export const createViolations = (
  flatten: ReturnType<typeof createFlatten>,
  { accepts }: Pick<Oracle, 'accepts'>,
  arbitraryOf: ReturnType<typeof createArbitraries>,
  resolve: (ref: string) => unknown,
) => {
  const opposites = createOpposites(arbitraryOf);
  const twoBranches = createTwoBranches(resolve, arbitraryOf);
  const wrongLengths = createWrongLengths(arbitraryOf);
  const commit = createCommit({ accepts });
  return (schema: Schema, valid: Json, root = 'body'): Violation[] => {
    const find = (here: Schema, value: Json, place: string): Violation[] => {
      const alternatives = flatten(here);
      const flat = alternatives.find((alternative) => accepts(alternative, value));
      if (!flat) return [];
      const everywhere = [
        ...committed(flat, place, [...wrongTypes(flat, value), ...outsideEnum(flat, value)]),
        ...opposites(flat, value, place),
        ...twoBranches(here, place),
      ];
      const found = flat.enum ? everywhere : [...everywhere, ...findByType(flat, value, place)];
      // A service cannot know which branch of a union was meant, so it may name the union.
      return alternatives.length > 1 ? found.map((violation) => ({ ...violation, named: place })) : found;
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
        find(prefixItems[index] ?? items, item, `${place}[${index}]`).map((violation) => ({
          ...violation,
          kind: violation.kind.replace(`${place}[${index}]`, () => `${place}[]`),
          value: value.with(index, violation.value),
        })),
      );

    const findInMembers: FindIn<{ readonly [name: string]: Json }> = (flat, value, place) =>
      Object.entries(value).flatMap(([name, item]) => {
        const isNamed = ownOf(flat.properties, name) !== undefined;
        const here = memberPlace(place, name);
        return memberSchemasOf(flat, name)
          .flatMap((member) => find(member, item, here))
          .map((violation) => ({
            ...violation,
            kind: isNamed ? violation.kind : violation.kind.replace(here, () => `${place}.*`),
            value: { ...value, [name]: violation.value },
          }));
      });

    // A value that is wrong for one branch of a union may be right for another, and is then no violation.
    return find(schema, valid, root).filter(({ value }) => !accepts(schema, value));
  };
};
