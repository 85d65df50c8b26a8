import { oncePerKey } from '../json/once.ts';
import { isTree, pointerTo, type Tree } from '../json/pointer.ts';

/**
 * Gives what an object becomes, or the object itself, and never changes it. `home` is where the outermost schema of the
 * same value stands. `isSchema` says that it stands where only a schema can; other objects may be schemas too, such as a
 * file that is one.
 */
export type Rewrite = (object: Tree, pointer: string, home: string, isSchema: boolean) => Tree;

/** What is known of a place in a document. */
export interface Room {
  /** Whether a schema stands there, or schemas below it. */
  readonly hasSchemas: boolean;
  /** The kind of component that stands there, so that a reference to one may; `undefined` where OpenAPI allows none. */
  readonly section?: string;
  /** What stands below each key, if the keys are names. */
  readonly entries?: Room;
}

/** An object in whose place OpenAPI allows no reference, such as an operation. */
const PLAIN: Room = { hasSchemas: false };
const SCHEMA: Room = { hasSchemas: true, section: 'schemas' };
const PATH_ITEM: Room = { hasSchemas: false, section: 'pathItems' };
const part = (section: string): Room => ({ hasSchemas: false, section });
const mapOf = (entries: Room): Room => ({ hasSchemas: entries.hasSchemas, entries });

/** What stands below each keyword; 'data' stays as it is, whatever it looks like. */
const BELOW = new Map<string, Room | 'data'>([
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

/** What stands below a member. Extensions are nobody's business; `enum` is data if it is a list, and so are `examples`. */
const roomBelow = (key: string, member: unknown): Room | 'data' => {
  if (key === 'examples' && Array.isArray(member)) return 'data';
  if (key === 'enum' && !Array.isArray(member)) return PLAIN;
  return BELOW.get(key) ?? (key.startsWith('x-') ? 'data' : PLAIN);
};

/** What stands below each name in a section of `components`, such as `schemas`. */
export const roomOfSection = (section: string): Room => {
  const room = roomBelow(section, {});
  return room === 'data' ? PLAIN : (room.entries ?? PLAIN);
};

/** The schemas below these keywords apply to the same value (JSON Schema 2020-12, section 10.2). */
const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** The parts that make a document large. */
const LARGE = /^\/(?:paths|webhooks|components\/[^/]+)$/;

/** An object whose members are made when they are first read. They are not listed. */
const lazyObject = (keys: readonly string[], make: (key: string) => unknown): Tree => {
  const memberOf = oncePerKey(make);
  const properties = keys.map((key) => [key, { get: () => memberOf(key) }]);
  return Object.defineProperties({}, Object.fromEntries(properties));
};

/** Gives what an object becomes, like `Rewrite`. Of maps, only those with a `$ref` in place of their entries are given. */
type RewritePart = (object: Tree, pointer: string, home: string, room: Room) => unknown;

/** Rewrites every object of a part of a document, innermost first; `start` says where the part stands. */
export const rewriteParts = (
  value: unknown,
  rewrite: RewritePart,
  start: { readonly pointer: string; readonly room: Room },
  isLazy = false,
): unknown => {
  const rewriteMember = (
    key: string,
    member: unknown,
    pointer: string,
    home: string | undefined,
    { entries }: Room,
  ): unknown => {
    if (entries) return rewriteAt(member, pointer + pointerTo(key), home, entries);
    const below = roomBelow(key, member);
    if (below === 'data') return member;
    const inPlace = IN_PLACE.has(key) ? (home ?? pointer) : undefined;
    return rewriteAt(member, pointer + pointerTo(key), inPlace, below);
  };

  const rewriteList = (
    list: readonly unknown[],
    pointer: string,
    home: string | undefined,
    room: Room,
  ): unknown => {
    const made = list.map((member, index) =>
      isTree(member)
        ? rewriteAt(member, pointer + pointerTo(`${index}`), home, room.entries ?? room)
        : member,
    );
    return made.every((member, index) => member === list[index]) ? list : made;
  };

  const rewriteAt = (value: unknown, pointer: string, home: string | undefined, room: Room): unknown => {
    if (!isTree(value)) return value;
    if (Array.isArray(value)) return rewriteList(value, pointer, home, room);
    if (isLazy && LARGE.test(pointer))
      return lazyObject(Object.keys(value), (key) => rewriteMember(key, value[key], pointer, home, room));
    let made = value;
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (!isTree(member)) continue;
      const rewritten = rewriteMember(key, member, pointer, home, room);
      if (rewritten === member) continue;
      if (made === value) made = { ...value };
      made[key] = rewritten;
    }
    const isMap = room.entries !== undefined && typeof made.$ref !== 'string';
    return isMap ? made : rewrite(made, pointer, home ?? pointer, room);
  };
  return rewriteAt(value, start.pointer, undefined, start.room);
};

/**
 * Rewrites every object of a document that may be a schema, innermost first. What stays the same is shared with the given
 * document, so nobody may change either. Data stays as it is. With `isLazy`, a path or a component is rewritten when it is
 * first read.
 */
export const rewriteSchemas = (document: unknown, rewrite: Rewrite, isLazy = false): unknown =>
  rewriteParts(
    document,
    (object, pointer, home, { hasSchemas }) => rewrite(object, pointer, home, hasSchemas),
    { pointer: '', room: PLAIN },
    isLazy,
  );
