import { isTree, ownMember, type Tree } from '@trellis/openapi/internal/json';
import { nameOf, type SchemaEditor, schemasTogether } from './plain-schemas.ts';

/** A base: a schema with a discriminator, without a union, which other components extend. */
interface Base {
  readonly schema: Tree;
  readonly property: string;
  /** Its keywords without the discriminator. */
  readonly plain: Tree;
  /** The components that extend it, each with the values that name it. */
  readonly subtypes: readonly { readonly name: string; readonly schema: Tree; readonly values: string[] }[];
}

const isAlias = (schema: Tree): boolean => Object.keys(schema).join() === '$ref';

/**
 * Rewrites bases as plain JSON Schema, in place: a value that names a subtype must match that subtype. OpenAPI
 * does not require this, so generated values follow it, and judged values need not.
 */
export const honourSubtypes = (components: Tree, { resolve, inPlaceOf }: SchemaEditor): void => {
  const all = Object.entries(components).flatMap(([name, schema]) =>
    isTree(schema) ? [{ name, schema }] : [],
  );
  const extendedBy = (schema: unknown): Tree[] => schemasTogether(resolve, schema, ['allOf']);

  const findBase = (schema: Tree): Base[] => {
    const property = ownMember(schema.discriminator, 'propertyName');
    if (typeof property !== 'string' || schema.oneOf !== undefined || schema.anyOf !== undefined) return [];
    const extending = all.filter(
      (each) => each.schema !== schema && !isAlias(each.schema) && extendedBy(each.schema).includes(schema),
    );
    const inherited = new Set<unknown>([schema, ...extending.map((each) => each.schema)]);
    const mapping = Object.entries(ownMember(schema.discriminator, 'mapping') ?? {});
    const subtypes = extending.map(({ name, schema: subtype }) => {
      const others = new Set([...inherited].filter((each) => each !== subtype));
      const constants = schemasTogether(resolve, subtype, ['allOf'], others)
        .flatMap((part) => schemasTogether(resolve, ownMember(part.properties, property), ['allOf']))
        .flatMap((part) => [part.const ?? part.enum ?? []].flat())
        .filter((value) => typeof value === 'string');
      const mapped = mapping.flatMap(([value, target]) => (nameOf(String(target)) === name ? [value] : []));
      return { name, schema: subtype, values: [...mapped, ...(constants.length > 0 ? constants : [name])] };
    });
    return subtypes.length === 0 ? [] : [{ schema, property, plain: inPlaceOf(schema, {}), subtypes }];
  };

  const bases = all.flatMap(({ schema }) => findBase(schema));
  /** Replaces each reference to a base by its plain form. */
  const extendPlain = (schema: unknown): void => {
    if (!isTree(schema)) return;
    const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
    parts.forEach(extendPlain);
    const target = typeof schema.$ref === 'string' ? resolve(schema.$ref) : undefined;
    const base = bases.find((each) => each.schema === target);
    if (!base) return;
    delete schema.$ref;
    schema.allOf = [base.plain, ...parts];
  };
  for (const { subtypes } of bases) for (const { schema } of subtypes) extendPlain(schema);
  for (const { schema, property, plain, subtypes } of bases) {
    const { discriminator, ...own } = schema;
    Object.assign(plain, own);
    for (const key of Object.keys(schema)) delete schema[key];
    const naming = (member: object, required: readonly string[]): Tree => ({
      required,
      properties: { [property]: member },
    });
    schema.anyOf = [
      ...subtypes.map(({ schema: subtype, values }) => ({
        allOf: [subtype, naming({ enum: values }, [property])],
      })),
      { allOf: [plain, naming({ not: { enum: subtypes.flatMap(({ values }) => values) } }, [])] },
    ];
  }
};
