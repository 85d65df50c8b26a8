import { isTree, pointerTo } from '../json/pointer.ts';

type Tree = Record<string, unknown>;

/** Makes something else of the copy of a schema. `home` is where the schema of the value as a whole stands. */
export type Rewrite = (copy: Tree, pointer: string, home: string) => Tree;

/** What stands under these is data, whatever it looks like; so are the examples of a schema, which are a list. */
const DATA = new Set(['const', 'enum', 'default', 'example', 'value']);

/** What stands under these goes by names of its own: a property `default` is no default. */
const NAMED = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
  ...['dependentRequired', 'dependencies'],
  ...['paths', 'webhooks', 'responses', 'content', 'headers', 'callbacks', 'encoding', 'links', 'variables'],
  ...['schemas', 'parameters', 'requestBodies', 'securitySchemes', 'pathItems', 'examples'],
]);

/** What stands under these is about the same value (JSON Schema 2020-12, section 10.2). */
const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** Copies a document, inmost first, with every object in it rewritten that may be a schema. Data stays as it is. */
export const rewriteSchemas = (document: unknown, rewrite: Rewrite): unknown => {
  const copy = (value: unknown, pointer: string, home: string | undefined, isNamed: boolean): unknown => {
    if (!isTree(value)) return value;
    const copyMember = ([key, member]: [string, unknown]): [string, unknown] => {
      if (!isTree(member)) return [key, member];
      const at = pointer + pointerTo(key);
      if (isNamed || Array.isArray(value)) return [key, copy(member, at, home, false)];
      if (DATA.has(key) || (key === 'examples' && Array.isArray(member))) return [key, member];
      const inPlace = IN_PLACE.has(key) ? (home ?? pointer) : undefined;
      return [key, copy(member, at, inPlace, NAMED.has(key))];
    };
    const members = Object.entries(value).map(copyMember);
    if (Array.isArray(value)) return members.map(([, member]) => member);
    const made = Object.fromEntries(members);
    return isNamed ? made : rewrite(made, pointer, home ?? pointer);
  };
  return copy(document, '', undefined, false);
};
