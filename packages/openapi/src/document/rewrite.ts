import { isTree, ownMember, pointerSteps, pointerTo, type Tree, valueAt } from '../json/pointer.ts';

/**
 * Returns a replacement for an object, or the object itself; it must not change the object. `home` is the pointer of
 * the outermost schema of the same value. `isSchema` is true where only a schema may be; other objects may be schemas
 * too, such as the root of a file.
 */
export type Rewrite = (object: Tree, pointer: string, home: string, isSchema: boolean) => Tree;

/** A slot in the structure of a document: the kind of value that OpenAPI allows there. */
export interface Slot {
  /** Whether it takes a schema, or a map of schemas. */
  readonly hasSchemas: boolean;
  /** The kind of component that it takes, inline or by `$ref`; `undefined` where OpenAPI allows no `$ref`. */
  readonly section?: string;
  /** The slot below each key, if the keys are names. */
  readonly entries?: Slot;
}

/** An object that cannot be a reference in OpenAPI, such as an operation. */
const PLAIN: Slot = { hasSchemas: false };
const SCHEMA: Slot = { hasSchemas: true, section: 'schemas' };
const PATH_ITEM: Slot = { hasSchemas: false, section: 'pathItems' };
const part = (section: string): Slot => ({ hasSchemas: false, section });
const mapOf = (entries: Slot): Slot => ({ hasSchemas: entries.hasSchemas, entries });

/** The slot below each keyword. 'data' is never rewritten. */
const BELOW = new Map<string, Slot | 'data'>([
  ...[
    'const',
    'enum',
    'default',
    'example',
    'value',
    'dataValue',
    'mapping',
    'scopes',
    'externalDocs',
    'xml',
  ].map((key) => [key, 'data'] as const),
  // A schema, or a list of schemas.
  ...[
    ...['schema', 'itemSchema', 'contentSchema', 'items', 'prefixItems', 'contains', 'propertyNames'],
    ...['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
    ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ].map((key) => [key, SCHEMA] as const),
  // The keys below these are names: a property `default` is not a default.
  ...[
    ...['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'],
    'schemas',
  ].map((key) => [key, mapOf(SCHEMA)] as const),
  ...['paths', 'webhooks', 'pathItems'].map((key) => [key, mapOf(PATH_ITEM)] as const),
  ...['responses', 'headers', 'parameters', 'requestBodies', 'securitySchemes', 'examples', 'links'].map(
    (key) => [key, mapOf(part(key))] as const,
  ),
  ['requestBody', part('requestBodies')],
  ['callbacks', mapOf({ ...mapOf(PATH_ITEM), section: 'callbacks' })],
  ...['content', 'mediaTypes', 'encoding', 'variables', 'dependentRequired', 'additionalOperations'].map(
    (key) => [key, mapOf(PLAIN)] as const,
  ),
]);

/** The slot below a member. Extensions (`x-`) are data, and so are lists in `enum` and `examples`. */
const slotBelow = (key: string, member: unknown): Slot | 'data' => {
  if (key === 'examples' && Array.isArray(member)) return 'data';
  if (key === 'enum' && !Array.isArray(member)) return PLAIN;
  return BELOW.get(key) ?? (key.startsWith('x-') ? 'data' : PLAIN);
};

/** The slot of each entry in a section of `components`, such as `schemas`. */
export const slotOfSection = (section: string): Slot => {
  const slot = slotBelow(section, {});
  return slot === 'data' ? PLAIN : (slot.entries ?? PLAIN);
};

/** The schemas below these keywords apply to the same value (JSON Schema 2020-12, section 10.2). */
const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** The pointer of the outermost schema of the same value as a schema of a document. */
const homeOf = (document: unknown, pointer: string): string => {
  let [here, value, slot]: [string, unknown, Slot] = ['', document, PLAIN];
  let home: string | undefined;
  for (const step of pointerSteps(pointer)) {
    const member = ownMember(value, step);
    if (Array.isArray(value)) slot = slot.entries ?? slot;
    else if (slot.entries) slot = slot.entries;
    else {
      const below = slotBelow(step, member);
      slot = below === 'data' ? PLAIN : below;
      home = IN_PLACE.has(step) ? (home ?? here) : undefined;
    }
    here += pointerTo(step);
    value = member;
  }
  return home ?? pointer;
};

/**
 * Returns a replacement for an object, like `Rewrite`. A map is passed only if it has a `$ref` in place of its entries.
 */
type RewritePart = (object: Tree, pointer: string, home: string, slot: Slot) => unknown;

/** Rewrites every object of a part of a document, innermost first. `start` is the place of the part. */
export const rewriteParts = (
  value: unknown,
  rewrite: RewritePart,
  start: { readonly pointer: string; readonly slot: Slot; readonly home?: string },
): unknown => {
  const rewriteMember = (
    key: string,
    member: unknown,
    pointer: string,
    home: string | undefined,
    { entries }: Slot,
  ): unknown => {
    if (entries) return rewriteAt(member, pointer + pointerTo(key), home, entries);
    const below = slotBelow(key, member);
    if (below === 'data') return member;
    const inPlace = IN_PLACE.has(key) ? (home ?? pointer) : undefined;
    return rewriteAt(member, pointer + pointerTo(key), inPlace, below);
  };

  const rewriteList = (
    list: readonly unknown[],
    pointer: string,
    home: string | undefined,
    slot: Slot,
  ): unknown => {
    const made = list.map((member, index) =>
      isTree(member)
        ? rewriteAt(member, pointer + pointerTo(`${index}`), home, slot.entries ?? slot)
        : member,
    );
    return made.every((member, index) => member === list[index]) ? list : made;
  };

  const rewriteAt = (value: unknown, pointer: string, home: string | undefined, slot: Slot): unknown => {
    if (!isTree(value)) return value;
    if (Array.isArray(value)) return rewriteList(value, pointer, home, slot);
    let made = value;
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (!isTree(member)) continue;
      const rewritten = rewriteMember(key, member, pointer, home, slot);
      if (rewritten === member) continue;
      if (made === value) made = { ...value };
      made[key] = rewritten;
    }
    const isMap = slot.entries !== undefined && typeof made.$ref !== 'string';
    return isMap ? made : rewrite(made, pointer, home ?? pointer, slot);
  };
  return rewriteAt(value, start.pointer, start.home, start.slot);
};

/**
 * Rewrites every object of a document that may be a schema, innermost first. Unchanged parts are shared with the given
 * document, so neither may be modified. Data is not rewritten.
 */
export const rewriteSchemas = (document: unknown, rewrite: Rewrite): unknown =>
  rewriteParts(
    document,
    (object, pointer, home, { hasSchemas }) => rewrite(object, pointer, home, hasSchemas),
    { pointer: '', slot: PLAIN },
  );

/** Rewrites the schema at a pointer, like `rewriteSchemas`. */
export const rewriteSchemaAt = (document: unknown, pointer: string, rewrite: Rewrite): unknown =>
  rewriteParts(
    valueAt(document, pointer),
    (object, at, home, { hasSchemas }) => rewrite(object, at, home, hasSchemas),
    { pointer, slot: SCHEMA, home: homeOf(document, pointer) },
  );
