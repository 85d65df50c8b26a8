import { isObject, type Json } from './json.ts';
import type { createOracle } from './oracle.ts';
import type { createFlatten, Schema } from './schema.ts';
import {
  type FindIn,
  memberPlace,
  outsideEnum,
  type Violation,
  wrongLengths,
  wrongMembers,
  wrongNumbers,
  wrongTexts,
  wrongTypes,
} from './wrong-values.ts';

/** Finds every single violation of a value that the schema accepts. */
export const createViolations =
  (flatten: ReturnType<typeof createFlatten>, accepts: ReturnType<typeof createOracle>) =>
  (schema: Schema, valid: Json): Violation[] => {
    const find = (here: Schema, value: Json, place: string): Violation[] => {
      const flat = flatten(here).find((alternative) => accepts(alternative, value));
      if (!flat) return [];
      const everywhere = [...wrongTypes(flat, value, place), ...outsideEnum(flat, value, place)];
      if (flat.enum) return everywhere;
      return [...everywhere, ...findByType(flat, value, place)];
    };

    const findByType: FindIn<Json> = (flat, value, place) => {
      if (typeof value === 'string') return wrongTexts(flat, value, place);
      if (typeof value === 'number' || typeof value === 'bigint') return wrongNumbers(flat, value, place);
      if (Array.isArray(value))
        return [...wrongLengths(flat, value, place), ...findInItems(flat, value, place)];
      return isObject(value)
        ? [...wrongMembers(flat, value, place), ...findInMembers(flat, value, place)]
        : [];
    };

    const findInItems: FindIn<readonly Json[]> = ({ prefixItems = [], items = true }, value, place) =>
      value.flatMap((item, index) =>
        find(prefixItems[index] ?? items, item, `${place}[${index}]`).map((violation) => ({
          ...violation,
          value: value.with(index, violation.value),
        })),
      );

    const findInMembers: FindIn<{ readonly [name: string]: Json }> = (flat, value, place) =>
      Object.entries(value).flatMap(([name, item]) => {
        const member = flat.properties?.[name] ?? flat.additionalProperties ?? true;
        return find(member, item, memberPlace(place, name)).map((violation) => ({
          ...violation,
          value: { ...value, [name]: violation.value },
        }));
      });

    // What is wrong for one branch of a union may be right for another: that is no violation.
    return find(schema, valid, 'body').filter(({ value }) => !accepts(schema, value));
  };
