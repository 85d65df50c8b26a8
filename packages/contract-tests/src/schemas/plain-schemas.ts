import { isTree, ownMember, pointerTo, type Tree, valueAt } from '@trellis/openapi/internal/json';
import { subtypesAt } from '@trellis/openapi/internal/schema';

/** Functions to look up and replace schemas. */
interface SchemaEditor {
  readonly resolve: (ref: string) => unknown;
  /** Gives a new schema the pointer of the schema it replaces, for messages. */
  readonly inPlaceOf: (old: unknown, made: Tree) => Tree;
}

const UNIONS = ['allOf', 'anyOf', 'oneOf'];

/** Collects schemas that apply to the same value: the schema, its `$ref` targets, and schemas in these keywords. */
const schemasTogether = (
  resolve: SchemaEditor['resolve'],
  schema: unknown,
  keywords: readonly string[],
  seen = new Set<unknown>(),
): Tree[] => {
  if (!isTree(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const parts = [
    typeof schema.$ref === 'string' ? resolve(schema.$ref) : undefined,
    ...keywords.flatMap((keyword) => schema[keyword] ?? []),
  ];
  return [schema, ...parts.flatMap((part) => schemasTogether(resolve, part, keywords, seen))];
};

/**
 * Rewrites `readOnly` (or `writeOnly`) as plain JSON Schema, in place: such a member must be absent, and is not
 * required. JSON Schema itself only has annotations for this (2020-12 validation, section 9.4).
 */
export const hideMembers = (
  schemas: readonly Tree[],
  flag: 'readOnly' | 'writeOnly',
  { resolve, inPlaceOf }: SchemaEditor,
): void => {
  /** The flag in one branch is enough. */
  const isHidden = (schema: unknown): boolean =>
    schemasTogether(resolve, schema, UNIONS).some((part) => part[flag] === true);
  const hiddenIn = (schema: Tree): string[] =>
    Object.entries(ownMember(schema, 'properties') ?? {}).flatMap(([name, member]) =>
      isHidden(member) ? [name] : [],
    );

  const found = schemas.flatMap((schema) => {
    const isObject = isTree(schema.properties) || Array.isArray(schema.allOf);
    const parts = isObject ? schemasTogether(resolve, schema, ['allOf']) : [];
    const names = new Set(parts.flatMap(hiddenIn));
    return names.size > 0 ? [{ parts, names }] : [];
  });
  for (const { parts, names } of found) {
    const visible = (list: unknown): unknown =>
      Array.isArray(list) ? list.filter((name) => !names.has(String(name))) : list;
    const hide = ([name, member]: [string, unknown]) => [
      name,
      names.has(name) ? inPlaceOf(member, { not: {} }) : member,
    ];
    for (const part of parts) {
      const { required, dependentRequired, properties } = part;
      if (required !== undefined) part.required = visible(required);
      if (isTree(dependentRequired))
        part.dependentRequired = Object.fromEntries(
          Object.entries(dependentRequired).map(([name, others]) => [name, visible(others)]),
        );
      if (isTree(properties)) part.properties = Object.fromEntries(Object.entries(properties).map(hide));
    }
  }
};

/** The name of a schema in a mapping, which may be a `$ref` or bare (OAS 3.1, section 4.8.25.3). */
const nameOf = (ref: string): string => ref.replace(/^.*\//s, '').replace(/\.(?:ya?ml|json)$/, '');

/**
 * Rewrites discriminators as plain JSON Schema, in place: a branch of `oneOf` or `anyOf` accepts only values that name it.
 * Discriminators that are ambiguous stay unchanged, and so do discriminators without a union, which describe
 * subtypes.
 */
export const honourDiscriminators = (
  schemas: readonly Tree[],
  { resolve, inPlaceOf }: SchemaEditor,
): void => {
  const together = (schema: unknown): Tree[] => schemasTogether(resolve, schema, UNIONS);
  /** The constants that a branch requires for the member. */
  const constantsIn = (branch: unknown, property: string): string[] =>
    together(branch)
      .flatMap((part) => together(ownMember(part.properties, property)))
      .flatMap((part) => [part.const ?? part.enum ?? []].flat())
      .filter((value) => typeof value === 'string');

  /** The values that select a branch: from the mapping, else its constants, else its schema name. */
  const valuesFor = (branch: unknown, property: string, mapping: unknown): string[] => {
    const ref = ownMember(branch, '$ref');
    const name = typeof ref === 'string' ? nameOf(ref) : undefined;
    const mapped = Object.entries(mapping ?? {}).flatMap(([value, target]) =>
      nameOf(String(target)) === name ? [value] : [],
    );
    if (mapped.length > 0) return mapped;
    const constants = constantsIn(branch, property);
    return constants.length > 0 || name === undefined ? constants : [name];
  };

  /** Whether a branch has no members, such as null. */
  const isScalar = (branch: unknown): boolean => {
    const types = together(branch).flatMap(({ type }) => type ?? []);
    return types.length > 0 && !types.includes('object');
  };

  const unions = schemas.flatMap((schema) => {
    const keyword = schema.oneOf === undefined ? 'anyOf' : 'oneOf';
    const [discriminator, union] = [schema.discriminator, schema[keyword]];
    const property = ownMember(discriminator, 'propertyName');
    if (typeof property !== 'string' || !Array.isArray(union)) return [];
    const branches = union.map((branch: unknown) => ({
      branch,
      values: isScalar(branch) ? undefined : valuesFor(branch, property, ownMember(discriminator, 'mapping')),
    }));
    const named = branches.flatMap(({ values }) => (values ? [values] : []));
    const all = named.flat();
    const tellsApart = named.every((values) => values.length > 0) && new Set(all).size === all.length;
    return tellsApart ? [{ schema, keyword, property, branches }] : [];
  });
  for (const { schema, keyword, property, branches } of unions)
    schema[keyword] = branches.map(({ branch, values }) =>
      values
        ? inPlaceOf(branch, {
            allOf: [branch, { required: [property], properties: { [property]: { enum: values } } }],
          })
        : branch,
    );
};

/** A base: a schema with a discriminator, without a union, which other components extend. */
interface Base {
  readonly schema: Tree;
  readonly property: string;
  /** Its keywords without the discriminator. */
  readonly plain: Tree;
  readonly subtypes: readonly { readonly schema: Tree; readonly values: readonly string[] }[];
}

/** Finds the base at a pointer. `given` is the contract, and `document` the copy that is rewritten. */
const findBase = (
  given: unknown,
  document: unknown,
  pointer: string,
  { inPlaceOf }: SchemaEditor,
): Base[] => {
  const schema = valueAt(document, pointer);
  const found = subtypesAt(given, pointer);
  if (!isTree(schema) || !found) return [];
  const subtypes = found.all.flatMap((at) => {
    const subtype = valueAt(document, at);
    const values = [...found.named].flatMap(([value, places]) => (places.includes(at) ? [value] : []));
    return isTree(subtype) && values.length > 0 ? [{ schema: subtype, values }] : [];
  });
  return [{ schema, property: found.property, plain: inPlaceOf(schema, {}), subtypes }];
};

/** Replaces each reference to a base by its plain form. */
const extendPlain = (schema: unknown, bases: readonly Base[], resolve: SchemaEditor['resolve']): void => {
  if (!isTree(schema)) return;
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  for (const part of parts) extendPlain(part, bases, resolve);
  const target = typeof schema.$ref === 'string' ? resolve(schema.$ref) : undefined;
  const base = bases.find((each) => each.schema === target);
  if (!base) return;
  delete schema.$ref;
  schema.allOf = [base.plain, ...parts];
};

/**
 * Rewrites bases as plain JSON Schema, in place: a value that names a subtype must match that subtype. OpenAPI
 * does not require this, so generated values follow it, and judged values need not.
 */
export const honourSubtypes = (given: unknown, document: unknown, editor: SchemaEditor): void => {
  const components = pointerTo('components', 'schemas');
  const names = Object.keys(Object(valueAt(document, components)));
  const bases = names.flatMap((name) => findBase(given, document, components + pointerTo(name), editor));
  for (const { subtypes } of bases)
    for (const { schema } of subtypes) extendPlain(schema, bases, editor.resolve);
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
