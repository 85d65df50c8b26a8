import { isTree, pointerSteps, pointerTo, type Tree } from '../json/pointer.ts';
import type { TakeNote } from './note.ts';
import { rewriteSchemas } from './rewrite.ts';

/** OAS 3.2, section 4.9.1: the methods that a path item has fields for. */
export const FIXED = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/**
 * The methods that `additionalOperations` of OpenAPI 3.2 may name: those that Node's parser knows. CONNECT is missing,
 * because it requests a tunnel and not a response.
 */
const ADDITIONAL = [
  ...['acl', 'bind', 'checkout', 'copy', 'link', 'lock', 'm-search', 'merge', 'mkactivity', 'mkcalendar'],
  ...['mkcol', 'move', 'notify', 'propfind', 'proppatch', 'purge', 'rebind', 'report', 'search', 'source'],
  ...['subscribe', 'unbind', 'unlink', 'unlock', 'unsubscribe'],
];

/** The methods that a path item of an adapted document may have, in lower case, `additionalOperations` included. */
export const METHODS: readonly string[] = [...FIXED, ...ADDITIONAL];

/** The pointers of path items. */
const ITEM = /^\/(?:paths|webhooks|components\/pathItems)\/[^/]+$|\/callbacks\/[^/]+\/[^/]+$/;

const mapAt = (object: Tree, key: string): Tree => {
  const value = object[key];
  return isTree(value) && !Array.isArray(value) ? value : {};
};

const without = (object: Tree, keys: readonly string[]): Tree =>
  keys.some((key) => Object.hasOwn(object, key))
    ? Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
    : object;

/**
 * Moves the `additionalOperations` of a path item to their methods in lower case, beside the other operations, so that
 * every operation is at path and method. Other objects are returned unchanged.
 */
export const withAllOperations = (item: Tree, pointer: string, isNewer: boolean, note: TakeNote): Tree => {
  if (!ITEM.test(pointer)) return item;
  if (!isNewer) return without(item, ['query', ...ADDITIONAL]);
  const more = Object.entries(mapAt(item, 'additionalOperations')).flatMap(([method, operation]) => {
    const key = method.toLowerCase();
    if (ADDITIONAL.includes(key) && key !== method && method === method.toUpperCase())
      return [[key, operation] as const];
    note(
      pointer + pointerTo('additionalOperations', method),
      "is left out: use a method from Node's `http.METHODS`, in capitals, that has no field in a path item",
      `${method} ${pointerSteps(pointer).at(-1)}`,
    );
    return [];
  });
  return { ...without(item, ['additionalOperations', ...ADDITIONAL]), ...Object.fromEntries(more) };
};

/** Moves all operations to path and method, as in an adapted document; the reverse of `withAdditional`. */
export const withoutAdditional = (document: unknown): unknown =>
  rewriteSchemas(document, (object, pointer) =>
    object.additionalOperations === undefined ? object : withAllOperations(object, pointer, true, () => {}),
  );

/** Moves the methods that path items have no fields for to `additionalOperations`, as OpenAPI writes them. */
export const withAdditional = (document: unknown): unknown =>
  rewriteSchemas(document, (object, pointer) => {
    if (!ITEM.test(pointer)) return object;
    const keys = ADDITIONAL.filter((method) => Object.hasOwn(object, method));
    if (keys.length === 0) return object;
    const additionalOperations = Object.fromEntries(keys.map((key) => [key.toUpperCase(), object[key]]));
    return { ...without(object, keys), additionalOperations };
  });

const ADDED = new RegExp(`^(/paths/[^/]+|/webhooks/[^/]+)/(${ADDITIONAL.join('|')})(?=/|$)`);

/** Converts a pointer into an adapted document to the pointer in the original. */
export const asWritten = (pointer: string): string =>
  pointer.replace(
    ADDED,
    (_at, item: string, method: string) => `${item}/additionalOperations/${method.toUpperCase()}`,
  );
