/** Writes discriminators as plain unions for the generated types: each branch, or subtype, with the values that name it. */
import { rewriteSchemas } from '@trellis/openapi/internal/document';
import {
  isTree,
  oncePerKey,
  ownMember,
  pointerTo,
  targetOf,
  uriFragment,
  valueAt,
} from '@trellis/openapi/internal/json';
import {
  discriminatedAt,
  membersAt,
  placesOf,
  type Subtypes,
  subtypesAt,
} from '@trellis/openapi/internal/schema';

/** Keywords that say the same of every value, so that a property can have one type in all branches. */
const isSimple = (schema: unknown): boolean =>
  isTree(schema) && !['readOnly', 'writeOnly', 'default', '$ref', 'allOf'].some((key) => key in schema);

/** The schema of a value that fits all parts, whose member is limited to these values. */
const naming = (parts: readonly object[], property: string, values: readonly string[]): object => ({
  allOf: [
    ...parts,
    { type: 'object', required: [property], properties: { [property]: { type: 'string', enum: values } } },
  ],
});

/** A document in which each branch of a union with a discriminator has the values that name it. */
export const withNamedBranches = (document: unknown): unknown =>
  rewriteSchemas(document, (schema, pointer) => {
    if (!isTree(schema.discriminator)) return schema;
    const union = discriminatedAt(document, pointer);
    if (!union) return subtypesAt(document, pointer) ? schema : { ...schema, discriminator: undefined };
    const { property, keyword, branches } = union;
    const all = Object.entries(Object(schema[keyword])).map(([index, branch]) => {
      const at = pointer + pointerTo(keyword, index);
      const values = [...branches].flatMap(([value, to]) => (to === at ? [value] : []));
      const members = membersAt(document, at, 'properties', property);
      const isNamed = values.length > 0 && members.every((member) => isSimple(valueAt(document, member)));
      return isNamed && isTree(branch) ? naming([branch], property, values) : branch;
    });
    return { ...schema, discriminator: undefined, [keyword]: all };
  });

/** Whether a schema is another name of a component. */
const isAlias = (schema: unknown): boolean => Object.keys(Object(schema)).join() === '$ref';

/** The subtypes of a base, each with the values that name it; last the base alone, unless every value names a subtype. */
const branchesOf = (document: unknown, base: string, { property, named }: Subtypes, members: object) => {
  const tag = ownMember(ownMember(members, 'properties'), property);
  const subtypes = new Set([...named.values()].flat().filter((subtype) => subtype !== base));
  const branches = [...subtypes].map((subtype) => {
    const values = [...named].flatMap(([value, all]) => (all.includes(subtype) ? [value] : []));
    const isExtending = placesOf(document, subtype, ['allOf']).includes(base);
    const parts = [...(isExtending ? [] : [members]), { $ref: uriFragment(subtype) }];
    return isSimple(tag) ? naming(parts, property, values) : { allOf: parts };
  });
  const values = ownMember(tag, 'enum');
  const isAbstract = Array.isArray(values) && values.every((value) => (named.get(value)?.length ?? 0) > 0);
  return isAbstract && isSimple(tag) ? branches : [...branches, members];
};

/** A document in which each base is a union, and its subtypes have its members in place of the reference to it. */
export const withSubtypes = (document: unknown): unknown => {
  const components = ownMember(document, 'components');
  const schemas = ownMember(components, 'schemas');
  if (!isTree(document) || !isTree(components) || !isTree(schemas)) return document;
  const subtypesOf = oncePerKey((pointer: string) => ({ found: subtypesAt(document, pointer) }));

  /** The components that are a part of a subtype of each base. Other components hold values of the base. */
  const partsOf = oncePerKey((base: string): ReadonlySet<string> => {
    const subtypes = [...(subtypesOf(base).found?.named.values() ?? [])].flat();
    return new Set(subtypes.flatMap((subtype) => placesOf(document, subtype, ['allOf'])));
  });
  /** The schema of a component with the members of each base in place of the reference to it. */
  const extended = (schema: unknown, component: string): object => {
    if (!isTree(schema)) return {};
    const { $ref, allOf, ...rest } = schema;
    const base = targetOf($ref);
    const own = Array.isArray(allOf)
      ? { ...rest, allOf: allOf.map((part) => extended(part, component)) }
      : rest;
    if (base === undefined) return own;
    return partsOf(base).has(component) ? { allOf: [ownMembersAt(base), own] } : { ...own, $ref };
  };
  const ownMembersAt = oncePerKey((base: string): object => {
    const { discriminator, ...members } = Object(valueAt(document, base));
    return extended(members, base);
  });

  const made = Object.entries(schemas).map(([name, schema]) => {
    if (isAlias(schema)) return [name, schema];
    const base = pointerTo('components', 'schemas', name);
    const { found } = subtypesOf(base);
    return [
      name,
      found ? { anyOf: branchesOf(document, base, found, ownMembersAt(base)) } : extended(schema, base),
    ];
  });
  return { ...document, components: { ...components, schemas: Object.fromEntries(made) } };
};
