import { oncePerKey } from '../json/once.ts';
import { isTree, pointerTo } from '../json/pointer.ts';

type Tree = Record<string, unknown>;

/**
 * Gives what an object becomes, or the object itself, and never changes it. `home` is where the outermost schema of the
 * same value stands. `isSchema` says that it stands where only a schema can; other objects may be schemas too, such as a
 * file that is one.
 */
export type Rewrite = (object: Tree, pointer: string, home: string, isSchema: boolean) => Tree;

/** The member of a document that holds the files it refers to. */
export const FILES = 'x-files';

/** What is known of a place: whether its keys are names, and whether a schema stands there, or schemas below it. */
interface Room {
  readonly isNamed: boolean;
  readonly hasSchemas: boolean;
}

const OPEN: Room = { isNamed: false, hasSchemas: false };
const SCHEMA: Room = { isNamed: false, hasSchemas: true };
const NAMED: Room = { isNamed: true, hasSchemas: false };
const NAMED_SCHEMAS: Room = { isNamed: true, hasSchemas: true };

/** What stands below each keyword; 'data' stays as it is, whatever it looks like. */
const BELOW = new Map<string, Room | 'data'>([
  ...['const', 'enum', 'default', 'example', 'value'].map((key) => [key, 'data'] as const),
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
  ].map((key) => [key, NAMED_SCHEMAS] as const),
  ...[
    ...['dependentRequired', FILES],
    ...['paths', 'webhooks', 'responses', 'content', 'headers', 'callbacks', 'encoding', 'links'],
    ...['variables', 'parameters', 'requestBodies', 'securitySchemes', 'pathItems', 'examples', 'mediaTypes'],
  ].map((key) => [key, NAMED] as const),
]);

/** What stands below a member. Extensions are nobody's business, and `examples` are data if they are a list. */
const roomBelow = (key: string, member: unknown): Room | 'data' => {
  if (key === 'examples' && Array.isArray(member)) return 'data';
  return BELOW.get(key) ?? (key.startsWith('x-') ? 'data' : OPEN);
};

/** The schemas below these keywords apply to the same value (JSON Schema 2020-12, section 10.2). */
const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** The parts that make a document large. */
const LARGE = /^\/(?:paths|webhooks|x-files|components\/[^/]+)$/;

/** An object whose members are made when they are first read. They are not listed. */
const lazyObject = (keys: readonly string[], make: (key: string) => unknown): Tree => {
  const memberOf = oncePerKey(make);
  const properties = keys.map((key) => [key, { get: () => memberOf(key) }]);
  return Object.defineProperties({}, Object.fromEntries(properties));
};

/**
 * Rewrites every object of a document that may be a schema, innermost first. What stays the same is shared with the given
 * document, so nobody may change either. Data stays as it is.
 *
 * With `finish`, a path or a component is rewritten when it is first read, and `finish` completes it.
 */
export const rewriteSchemas = (
  document: unknown,
  rewrite: Rewrite,
  finish?: (part: unknown) => unknown,
): unknown => {
  const rewriteMember = (
    key: string,
    member: unknown,
    pointer: string,
    home: string | undefined,
    room: Room,
  ): unknown => {
    if (room.isNamed)
      return rewriteAt(member, pointer + pointerTo(key), home, room.hasSchemas ? SCHEMA : OPEN);
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
    const inside = room.hasSchemas ? SCHEMA : OPEN;
    const made = list.map((member, index) =>
      isTree(member) ? rewriteAt(member, pointer + pointerTo(`${index}`), home, inside) : member,
    );
    return made.every((member, index) => member === list[index]) ? list : made;
  };

  const rewriteAt = (value: unknown, pointer: string, home: string | undefined, room: Room): unknown => {
    if (!isTree(value)) return value;
    if (Array.isArray(value)) return rewriteList(value, pointer, home, room);
    if (finish && LARGE.test(pointer))
      return lazyObject(Object.keys(value), (key) =>
        finish(rewriteMember(key, value[key], pointer, home, room)),
      );
    let made = value;
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (!isTree(member)) continue;
      const rewritten = rewriteMember(key, member, pointer, home, room);
      if (rewritten === member) continue;
      if (made === value) made = { ...value };
      made[key] = rewritten;
    }
    return room.isNamed ? made : rewrite(made, pointer, home ?? pointer, room.hasSchemas);
  };
  return rewriteAt(document, '', undefined, OPEN);
};
