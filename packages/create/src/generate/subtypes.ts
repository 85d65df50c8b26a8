/** Writes bases with a discriminator as unions of their subtypes, for the generated types. */
import {
  isTree,
  oncePerKey,
  ownMember,
  pointerTo,
  targetOf,
  uriFragment,
  valueAt,
} from '@trellis/openapi/json';
import { placesOf, type Subtypes, subtypesAt } from '@trellis/openapi/schema';

/** Keywords that say the same of every value, so that a property can have one type in all branches. */
const isSimple = (schema: unknown): boolean =>
  isTree(schema) && !['readOnly', 'writeOnly', 'default', '$ref', 'allOf'].some((key) => key in schema);

/** Whether a schema is another name of a component. */
const isAlias = (schema: unknown): boolean => Object.keys(Object(schema)).join() === '$ref';

/** The subtypes of a base, each with the values that name it; last the base alone, unless every value names a subtype. */
const branchesOf = (document: unknown, base: string, { property, named }: Subtypes, members: object) => {
  const tag = ownMember(ownMember(members, 'properties'), property);
  const subtypes = new Set([...named.values()].flat().filter((subtype) => subtype !== base));
  const branches = [...subtypes].map((subtype) => {
    const values = [...named].flatMap(([value, all]) => (all.includes(subtype) ? [value] : []));
    const properties = { [property]: { type: 'string', enum: values } };
    const isExtending = placesOf(document, subtype, ['allOf']).includes(base);
    const parts = [...(isExtending ? [] : [members]), { $ref: uriFragment(subtype) }];
    return {
      allOf: isSimple(tag) ? [...parts, { type: 'object', required: [property], properties }] : parts,
    };
  });
  const values = ownMember(tag, 'enum');
  const isAbstract = Array.isArray(values) && values.every((value) => (named.get(value)?.length ?? 0) > 0);
  return isAbstract && isSimple(tag) ? branches : [...branches, members];
};

/** A document in which each base is a union, and what extends it has its members in place of the reference to it. */
export const withSubtypes = (document: unknown): unknown => {
  const components = ownMember(document, 'components');
  const schemas = ownMember(components, 'schemas');
  if (!isTree(document) || !isTree(components) || !isTree(schemas)) return document;
  const subtypesOf = oncePerKey((pointer: string) => ({ found: subtypesAt(document, pointer) }));

  /** A schema with the members of each base in place of the reference to it. */
  const extended = (schema: unknown): object => {
    if (!isTree(schema)) return {};
    const { $ref, allOf, ...rest } = schema;
    const base = targetOf($ref);
    const own = Array.isArray(allOf) ? { ...rest, allOf: allOf.map(extended) } : rest;
    if (base === undefined) return own;
    return subtypesOf(base).found ? { allOf: [membersAt(base), own] } : { ...own, $ref };
  };
  const membersAt = oncePerKey((base: string): object => {
    const { discriminator, ...members } = Object(valueAt(document, base));
    return extended(members);
  });

  const made = Object.entries(schemas).map(([name, schema]) => {
    if (isAlias(schema)) return [name, schema];
    const base = pointerTo('components', 'schemas', name);
    const { found } = subtypesOf(base);
    return [name, found ? { anyOf: branchesOf(document, base, found, membersAt(base)) } : extended(schema)];
  });
  return { ...document, components: { ...components, schemas: Object.fromEntries(made) } };
};
