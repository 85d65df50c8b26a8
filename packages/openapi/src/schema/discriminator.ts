import { followRefs, ownMember, pointerTo, refAt, targetOf, valueAt } from '../json/pointer.ts';
import { placesOf, typesOf } from './shape.ts';

/** A union in which a member names the branch (OAS 3.1, section 4.8.25). */
export interface Discriminated {
  readonly property: string;
  readonly keyword: 'oneOf' | 'anyOf';
  /** Where the branch of each value of that member stands. */
  readonly branches: ReadonlyMap<string, string>;
  /** The branches for values without members, such as null. */
  readonly others: readonly string[];
}

/** The schema that a mapping leads to: it holds a reference, or the name of a schema. */
export const mappedTo = (document: unknown, value: string): string => {
  const named = pointerTo('components', 'schemas', value);
  if (valueAt(document, named) !== undefined) return followRefs(document, named);
  const target = targetOf(value);
  return target === undefined ? value : followRefs(document, target);
};

/** The values that the schema of a branch allows for the member. */
const constantsAt = (document: unknown, branch: string, property: string): string[] =>
  placesOf(document, branch)
    .flatMap((place) => placesOf(document, place + pointerTo('properties', property)))
    .flatMap((place) => {
      const schema = valueAt(document, place);
      return [ownMember(schema, 'const') ?? ownMember(schema, 'enum') ?? []].flat();
    })
    .filter((value) => typeof value === 'string');

/**
 * Finds which value of the discriminator names which branch of the union at a pointer: by the mapping, else by the
 * constants of the branch, else by the name of its schema. `undefined` if there is no discriminator, or if a branch has no
 * name: then the union is like any other. The same goes for a discriminator beside `allOf`.
 */
export const discriminatedAt = (document: unknown, pointer: string): Discriminated | undefined => {
  const schema = valueAt(document, pointer);
  const discriminator = ownMember(schema, 'discriminator');
  const property = ownMember(discriminator, 'propertyName');
  const keyword = Array.isArray(ownMember(schema, 'oneOf')) ? 'oneOf' : 'anyOf';
  const union = ownMember(schema, keyword);
  if (typeof property !== 'string' || !Array.isArray(union)) return undefined;

  const mapping = Object.entries(ownMember(discriminator, 'mapping') ?? {}).map(
    ([value, to]) => [value, mappedTo(document, String(to))] as const,
  );
  const valuesOf = (branch: string): string[] => {
    const target = followRefs(document, branch);
    const mapped = mapping.filter(([, to]) => to === target).map(([value]) => value);
    if (mapped.length > 0) return mapped;
    const constants = constantsAt(document, branch, property);
    if (constants.length > 0) return constants;
    return refAt(document, branch)?.split('/').slice(-1) ?? [];
  };

  const branches = new Map<string, string>();
  const others: string[] = [];
  for (const index of union.keys()) {
    const branch = pointer + pointerTo(keyword, `${index}`);
    const types = typesOf(document, branch);
    if (types.size > 0 && !types.has('object')) others.push(branch);
    else {
      const values = valuesOf(branch);
      if (values.length === 0 || values.some((value) => branches.has(value))) return undefined;
      for (const value of values) branches.set(value, branch);
    }
  }
  return branches.size === 0 ? undefined : { property, keyword, branches, others };
};

/** A conditional schema. */
const when = (question: object, yes: object, no: object = {}): object => ({
  if: question,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: yes,
  else: no,
});

/** A union with a discriminator in plain JSON Schema: only the branch that is named validates a value. `refer` makes a reference to it. */
export const discriminatingSchema = (
  { property, keyword, branches, others }: Discriminated,
  refer: (pointer: string) => object,
): object => {
  const chosen = {
    type: 'object',
    required: [property],
    properties: { [property]: { enum: [...branches.keys()] } },
    allOf: [...branches].map(([value, branch]) =>
      when({ required: [property], properties: { [property]: { const: value } } }, refer(branch)),
    ),
  };
  const [other, ...more] = others.map(refer);
  if (!other) return chosen;
  return when({ type: 'object' }, chosen, more.length === 0 ? other : { [keyword]: [other, ...more] });
};
