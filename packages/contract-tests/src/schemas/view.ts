import { rewriteSchemas } from '@trellis/openapi/internal/document';
import {
  isTree,
  oncePerKey,
  ownMember,
  pointerTo,
  type Tree,
  targetOf,
  valueAt,
} from '@trellis/openapi/internal/json';
import {
  type Direction,
  discriminatedAt,
  isPlain,
  placesOf,
  subtypesAt,
} from '@trellis/openapi/internal/schema';

/** Functions to look up and replace schemas. */
interface SchemaEditor {
  readonly resolve: (ref: string) => unknown;
  readonly pointerOf: (schema: unknown) => string | undefined;
  /** Gives a new schema the pointer of the schema it replaces, for messages. */
  readonly inPlaceOf: (old: unknown, made: Tree) => Tree;
}

/**
 * Rewrites `readOnly` (or `writeOnly`) as plain JSON Schema, in place: such a member must be absent, and is not
 * required. JSON Schema itself only has annotations for this (2020-12 validation, section 9.4). `given` is the contract,
 * and `document` the copy that is rewritten.
 */
const hideMembers = (
  given: unknown,
  document: unknown,
  schemas: readonly Tree[],
  flag: 'readOnly' | 'writeOnly',
  { pointerOf, inPlaceOf }: SchemaEditor,
): void => {
  /** The flag in one branch is enough. */
  const isHidden = (member: unknown, pointer: string): boolean =>
    isPlain(member)
      ? member[flag] === true
      : placesOf(given, pointer).some((place) => ownMember(valueAt(given, place), flag) === true);
  const hiddenIn = oncePerKey((place: string) =>
    Object.entries(ownMember(valueAt(given, place), 'properties') ?? {})
      .filter(([name, member]) => isHidden(member, place + pointerTo('properties', name)))
      .map(([name]) => name),
  );

  const found = schemas.flatMap((schema) => {
    const isObject = isTree(schema.properties) || Array.isArray(schema.allOf);
    const places = isObject ? placesOf(given, pointerOf(schema) ?? '', ['allOf']) : [];
    const names = new Set(places.flatMap(hiddenIn));
    const parts = names.size === 0 ? [] : places.map((place) => valueAt(document, place)).filter(isTree);
    return parts.length > 0 ? [{ parts, names }] : [];
  });
  for (const { parts, names } of found) {
    const visible = (list: unknown): unknown =>
      Array.isArray(list) ? list.filter((name) => !names.has(String(name))) : list;
    const mapOf = (map: Tree, change: (value: unknown, name: string) => unknown): Tree =>
      Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)]));
    for (const part of parts) {
      const { required, dependentRequired, properties } = part;
      if (required !== undefined) part.required = visible(required);
      if (isTree(dependentRequired)) part.dependentRequired = mapOf(dependentRequired, visible);
      if (isTree(properties))
        part.properties = mapOf(properties, (member, name) =>
          names.has(name) ? inPlaceOf(member, { not: {} }) : member,
        );
    }
  }
};

/**
 * Rewrites discriminators as plain JSON Schema, in place: a branch of `oneOf` or `anyOf` accepts only values that name it.
 * Discriminators that are ambiguous stay unchanged, and so do discriminators without a union, which describe
 * subtypes. `given` is the contract; `schemas` are the schemas of its rewritten copy.
 */
const honourDiscriminators = (
  given: unknown,
  schemas: readonly Tree[],
  { pointerOf, inPlaceOf }: SchemaEditor,
): void => {
  for (const schema of schemas) {
    const pointer = pointerOf(schema);
    const found = pointer === undefined ? undefined : discriminatedAt(given, pointer);
    const union = found && schema[found.keyword];
    if (!found || !Array.isArray(union)) continue;
    const { property, keyword, branches } = found;
    schema[keyword] = union.map((branch: unknown, index) => {
      const at = pointer + pointerTo(keyword, `${index}`);
      const values = [...branches].flatMap(([value, place]) => (place === at ? [value] : []));
      const named = { required: [property], properties: { [property]: { enum: values } } };
      return values.length > 0 ? inPlaceOf(branch, { allOf: [branch, named] }) : branch;
    });
  }
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
const honourSubtypes = (given: unknown, document: unknown, editor: SchemaEditor): void => {
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

/** A JSON pointer (RFC 6901) into the contract in one document. */
export type Pointer = string;

/** Prefix of every `$ref`: Ajv compiles parts of the document, so references must be absolute. */
export const ROOT = 'contract:/document';

/** Keywords for which Ajv requires numbers, even if the contract has a huge integer. */
const COUNT = /^(?:min|max)(?:Length|Items|Contains|Properties)$/;

const amend = ([key, value]: [string, unknown]): [string, unknown] => {
  if (key === '$ref' && typeof value === 'string') return [key, new URL(value, ROOT).href];
  return [key, typeof value === 'bigint' && COUNT.test(key) ? Number(value) : value];
};

/** Rewrites a contract as plain JSON Schema for one direction: requests without `readOnly` members, replies without `writeOnly`. */
export const createView = (given: unknown, direction: Direction) => {
  const pointers = new WeakMap<object, Pointer>();
  const pointerOf = (value: unknown): Pointer | undefined =>
    isTree(value) ? pointers.get(value) : undefined;

  const schemas: Tree[] = [];
  /** A copy that records the pointer of every object, and all schemas. */
  const document = rewriteSchemas(given, (object, pointer, _home, isSchema) => {
    const made = isSchema ? Object.fromEntries(Object.entries(object).map(amend)) : { ...object };
    pointers.set(made, pointer);
    if (isSchema) schemas.push(made);
    return made;
  });

  const resolve = (ref: string): unknown => {
    const target = targetOf(ref.startsWith(ROOT) ? ref.slice(ROOT.length) : ref);
    return target === undefined ? undefined : valueAt(document, target);
  };
  /** An object, or the target of its `$ref`; an empty object for any other value. */
  const read = (value: unknown): Tree => {
    const ref = ownMember(value, '$ref');
    if (typeof ref === 'string') return read(resolve(ref));
    return isTree(value) ? value : {};
  };
  const inPlaceOf = (old: unknown, made: Tree): Tree => {
    const pointer = pointerOf(old);
    if (pointer !== undefined) pointers.set(made, pointer);
    return made;
  };
  const editor = { resolve, pointerOf, inPlaceOf };
  hideMembers(given, document, schemas, direction === 'request' ? 'readOnly' : 'writeOnly', editor);
  honourDiscriminators(given, schemas, editor);
  if (direction === 'request') honourSubtypes(given, document, editor);

  return {
    ...{ document, resolve, pointerOf, read },
    entriesOf: (value: unknown): [name: string, value: unknown][] => Object.entries(read(value)),
    /** The place of an object, or of the target of its `$ref`. */
    at: (value: unknown): Pointer => pointerOf(read(value)) ?? '',
  };
};

/** A contract in one direction, in plain JSON Schema. */
export type View = ReturnType<typeof createView>;
