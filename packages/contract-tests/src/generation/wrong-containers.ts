import { memberPlace, oncePerObject } from '@trellis/openapi/internal/json';
import { distinctBy, identityOf, type Json, type Members, present, without } from '../values/json.ts';
import type { SchemaObject } from '../values/schema.ts';
import {
  type FaultsOf,
  type FindIn,
  fault,
  inOtherCase,
  LONGEST,
  type SamplesOf,
  violation,
} from './wrong-values.ts';

const MOST_DIFFERENT = 200;

/** Arrays just beyond each bound, or with a duplicate item. */
export const createWrongLengths = (samplesOf: SamplesOf): FaultsOf<readonly Json[]> => {
  /** Different items, as many as can be found of those that are too many. */
  const differentItems = oncePerObject(({ items = true, maxItems = 0 }: SchemaObject) =>
    distinctBy(samplesOf(items, 5 * (maxItems + 1)), identityOf),
  );

  return (flat, value) => {
    const { minItems = 0, items = true, prefixItems = [], uniqueItems } = flat;
    const maxItems = flat.maxItems ?? (items === false ? prefixItems.length : undefined);
    const longer = (length: number): Json[][] => {
      const missing = Math.max(0, length - value.length);
      const repeated = [...value, ...Array<Json>(missing).fill(value.at(-1) ?? null)];
      if (!uniqueItems && value.length > 0) return [repeated];
      if (length > MOST_DIFFERENT) return [repeated];
      const own = new Set(value.map(identityOf));
      const fresh = differentItems(flat).filter((item) => !own.has(identityOf(item)));
      return [[...value, ...fresh.slice(0, missing)], [...fresh.slice(0, length)], repeated];
    };
    const [first] = value;
    const isFull = first === undefined || (maxItems !== undefined && value.length >= maxItems);
    const twice = isFull ? value.slice(0, -1) : value;
    return present(
      minItems > 0 && fault('minItems', `of fewer than ${minItems}`, value.slice(0, minItems - 1)),
      maxItems !== undefined &&
        maxItems <= LONGEST &&
        fault(
          flat.maxItems === undefined ? 'items' : 'maxItems',
          `of more than ${maxItems}`,
          ...longer(maxItems + 1),
        ),
      uniqueItems &&
        first !== undefined &&
        fault('uniqueItems', 'with an item twice', [...twice, twice.at(-1) ?? first], [first, first]),
    );
  };
};

/** Objects that lack a member or have one too many. */
export const wrongMembers: FindIn<Members> = (flat, value, place) => {
  const { required = [], additionalProperties, unevaluatedProperties, dependentRequired = {} } = flat;
  const missing = required.map((name) =>
    violation(memberPlace(place, name), 'missing', without(value, name)),
  );
  const missingBeside = Object.entries(dependentRequired)
    .filter(([name]) => Object.hasOwn(value, name))
    .flatMap(([name, others]) =>
      others.map((other) => ({
        ...violation(memberPlace(place, other), `missing beside ${name}`, without(value, other)),
        named: place,
      })),
    );
  const isOpen = additionalProperties !== false && unevaluatedProperties !== false;
  if (isOpen) return [...missing, ...missingBeside];
  const [known] = Object.keys(value).filter((name) => !Object.hasOwn(value, inOtherCase(name)));
  const added = present('stranger', known !== undefined && inOtherCase(known)).map((name) => {
    const member = name === 'stranger' ? 41 : (value[known ?? ''] ?? 41);
    return violation(memberPlace(place, name), 'added', { ...value, [name]: member });
  });
  return [...missing, ...missingBeside, ...added];
};
