import { getOrInsert, oncePerKey, oncePerObject } from '../json/once.ts';
import {
  followRefs,
  isTree,
  ownMember,
  pointerSteps,
  pointerTo,
  targetOf,
  valueAt,
} from '../json/pointer.ts';
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

/** The subtypes of a base; a member of the value names a subtype (OAS 3.1, section 4.8.25). */
export interface Subtypes {
  readonly property: string;
  /** The pointers of the subtypes for each value of the member; empty for the name of the base itself. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** The pointers of all subtypes, also without a value. */
  readonly all: readonly string[];
}

/** The member that a schema tells subtypes apart by. */
const propertyAt = (document: unknown, pointer: string): string | undefined => {
  const property = ownMember(ownMember(valueAt(document, pointer), 'discriminator'), 'propertyName');
  return typeof property === 'string' ? property : undefined;
};

/** The components that extend each base by `allOf` or a reference, directly or over several levels. */
const findExtending = (document: object): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  const schemas = pointerTo('components', 'schemas');
  for (const [name, schema] of Object.entries(valueAt(document, schemas) ?? {})) {
    if (Object.keys(Object(schema)).join() === '$ref') continue; // another name of the base
    const component = schemas + pointerTo(name);
    for (const place of placesOf(document, component, ['allOf']))
      if (place !== component && propertyAt(document, place) !== undefined)
        getOrInsert(found, place, () => []).push(component);
  }
  return found;
};

const nameOf = (pointer: string): string => pointerSteps(pointer).at(-1) ?? '';

const findSubtypes = (document: object, base: string, extending: readonly string[]): Subtypes | undefined => {
  const property = propertyAt(document, base);
  if (property === undefined) return undefined;
  const family = [base, ...extending];
  const named = new Map<string, string[]>();
  const allowed = commonConstants(document, base, property);
  const name = (tag: string, at: string): void => {
    if (allowed.length === 0 || allowed.includes(tag)) getOrInsert(named, tag, () => []).push(at);
  };
  for (const each of family)
    if (propertyAt(document, each) === property)
      for (const [tag, at] of mappingOf(document, valueAt(document, each))) name(tag, at);

  const mapped = new Set(named.keys());
  for (const at of extending) {
    const others = new Set(family.filter((each) => each !== at)); // these have separate constants
    const constants = constantsAt(document, placesOf(document, at, ['allOf'], others), property);
    const tags = constants.length > 0 ? constants : [nameOf(at)];
    for (const tag of tags) if (!mapped.has(tag)) name(tag, at);
  }
  const all = [...new Set([...extending, ...[...named.values()].flat()])];
  if (all.length === 0) return undefined;
  getOrInsert(named, nameOf(base), () => []);
  return { property, named, all };
};

const subtypesIn = oncePerObject((document: object) => {
  const extending = findExtending(document);
  return oncePerKey((base: string) => findSubtypes(document, base, extending.get(base) ?? []));
});

/** Finds the subtypes of a base, whether or not it lists them in a union; `undefined` if it has none. */
export const subtypesOf = (document: unknown, pointer: string): Subtypes | undefined =>
  isTree(document) && propertyAt(document, pointer) !== undefined ? subtypesIn(document)(pointer) : undefined;
