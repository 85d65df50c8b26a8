import { isTree, ownMember, pointerSteps, pointerTo, type Tree } from '../json/pointer.ts';

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

/** The slot of a member of an object, or of an item of a list. */
const slotOf = (holder: Tree, slot: Slot, key: string): Slot | 'data' =>
  slot.entries ?? (Array.isArray(holder) ? slot : slotBelow(key, holder[key]));

/** The `home` of a member of an object, or of an item of a list; `undefined` if it is a separate value. */
const homeOf = (
  holder: Tree,
  slot: Slot,
  key: string,
  pointer: string,
  home?: string,
): string | undefined => {
  if (slot.entries || Array.isArray(holder)) return home;
  return IN_PLACE.has(key) ? (home ?? pointer) : undefined;
};

/**
 * Returns a replacement for an object, like `Rewrite`. A map is passed only if it has a `$ref` in place of its entries.
 */
type RewritePart = (object: Tree, pointer: string, home: string, slot: Slot) => unknown;

/** Rewrites every object of a part of a document, innermost first. `start` is the place of the part. */
export const rewriteParts = (
  part: unknown,
  rewrite: RewritePart,
  start: { readonly pointer: string; readonly slot: Slot; readonly home?: string | undefined },
): unknown => {
  const rewriteAt = (value: Tree, pointer: string, slot: Slot, home: string | undefined): unknown => {
    let made = value;
    for (const key of Object.keys(value)) {
      const member = value[key];
      const below = isTree(member) ? slotOf(value, slot, key) : 'data';
      if (!isTree(member) || below === 'data') continue;
      const inside = homeOf(value, slot, key, pointer, home);
      const rewritten = rewriteAt(member, pointer + pointerTo(key), below, inside);
      if (rewritten === member) continue;
      if (made === value) made = Array.isArray(value) ? Object.assign([], value) : { ...value };
      made[key] = rewritten;
    }
    const isMap = slot.entries !== undefined && typeof made.$ref !== 'string';
    return isMap || Array.isArray(made) ? made : rewrite(made, pointer, home ?? pointer, slot);
  };
  return isTree(part) ? rewriteAt(part, start.pointer, start.slot, start.home) : part;
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
export const rewriteSchemaAt = (document: unknown, at: string, rewrite: Rewrite): unknown => {
  let [here, value, slot, home]: [string, unknown, Slot, string?] = ['', document, PLAIN];
  for (const step of pointerSteps(at)) {
    if (!isTree(value)) break;
    const below = slotOf(value, slot, step);
    home = homeOf(value, slot, step, here, home);
    slot = below === 'data' ? PLAIN : below;
    here += pointerTo(step);
    value = ownMember(value, step);
  }
  return rewriteParts(
    value,
    (object, pointer, inside, { hasSchemas }) => rewrite(object, pointer, inside, hasSchemas),
    { pointer: at, slot: SCHEMA, home },
  );
};
