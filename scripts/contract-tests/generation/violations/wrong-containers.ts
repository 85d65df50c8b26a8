import type { Json } from '../../values/json.ts';
import { type FindIn, LONGEST, memberPlace, violation } from './violation.ts';

/** Arrays just beyond each bound, or with a duplicate item. */
export const wrongLengths: FindIn<readonly Json[]> = (flat, value, place) => {
  const { minItems = 0, items, prefixItems = [], uniqueItems } = flat;
  const maxItems = flat.maxItems ?? (items === false ? prefixItems.length : undefined);
  const last = value.at(-1) ?? null;
  const longer = (length: number) => [
    ...value,
    ...Array<Json>(Math.max(0, length - value.length)).fill(last),
  ];
  return [
    ...(minItems > 0 ? [violation(place, `of fewer than ${minItems}`, value.slice(0, minItems - 1))] : []),
    ...(maxItems === undefined || maxItems > LONGEST
      ? []
      : [violation(place, `of more than ${maxItems}`, longer(maxItems + 1))]),
    ...(uniqueItems && value.length > 0 ? [violation(place, 'with an item twice', [...value, last])] : []),
  ];
};

const without = (value: { readonly [name: string]: Json }, name: string) => {
  const { [name]: _gone, ...rest } = value;
  return rest;
};

/** Objects that lack a member or have one too many. */
export const wrongMembers: FindIn<{ readonly [name: string]: Json }> = (flat, value, place) => {
  const { required = [], additionalProperties, unevaluatedProperties, dependentRequired = {} } = flat;
  const gone = required.map((name) => violation(memberPlace(place, name), 'gone', without(value, name)));
  const goneBeside = Object.entries(dependentRequired)
    .filter(([name]) => Object.hasOwn(value, name))
    .flatMap(([name, others]) =>
      others.map((other) => ({
        ...violation(memberPlace(place, other), `gone beside ${name}`, without(value, other)),
        named: place,
      })),
    );
  if (additionalProperties !== false && unevaluatedProperties !== false) return [...gone, ...goneBeside];
  const stranger = memberPlace(place, 'stranger');
  return [...gone, ...goneBeside, violation(stranger, 'added', { ...value, stranger: 41 })];
};
