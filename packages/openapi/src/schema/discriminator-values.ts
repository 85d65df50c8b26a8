import { followRefs, ownMember, pointerTo, targetOf, valueAt } from '../json/pointer.ts';
import { placesOf, throughRefs } from './shape.ts';

/** The pointer of a mapping's target: a reference, or the name of a schema. `undefined` if it does not resolve. */
const mappedAt = (document: unknown, value: string): string | undefined => {
  const named = pointerTo('components', 'schemas', value);
  const at = valueAt(document, named) === undefined ? targetOf(value) : named;
  return at === undefined || valueAt(document, at) === undefined ? undefined : throughRefs(document, at);
};

/** The pointer of a mapping's final target, through all references on the way. */
export const mappedTo = (document: unknown, value: string): string => {
  const at = mappedAt(document, value);
  return at === undefined ? value : followRefs(document, at);
};

/** The mapping of a schema's discriminator, from values to schemas. */
export const mappingOf = (document: unknown, schema: unknown): (readonly [value: string, at: string])[] =>
  Object.entries(ownMember(ownMember(schema, 'discriminator'), 'mapping') ?? {}).flatMap(([value, to]) => {
    const at = mappedAt(document, String(to));
    return at === undefined ? [] : [[value, at] as const];
  });

/** The values that schemas at these places allow for a member. */
export const constantsAt = (document: unknown, places: readonly string[], property: string): string[] =>
  places
    .flatMap((place) => placesOf(document, place + pointerTo('properties', property)))
    .flatMap((place) => {
      const schema = valueAt(document, place);
      return [ownMember(schema, 'const') ?? ownMember(schema, 'enum') ?? []].flat();
    })
    .filter((value) => typeof value === 'string');

/** The values that a schema allows for a member: those that all parts of an `allOf` allow, or that any branch does. */
export const commonConstants = (document: unknown, pointer: string, property: string): string[] => {
  const [first, ...others] = placesOf(document, pointer, ['allOf'])
    .map((place) => constantsAt(document, [place], property))
    .filter((constants) => constants.length > 0);
  const common = first?.filter((value) => others.every((constants) => constants.includes(value))) ?? [];
  return common.length > 0 ? common : constantsAt(document, placesOf(document, pointer), property);
};
