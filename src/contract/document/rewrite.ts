import { isTree, pointerTo } from '../json/pointer.ts';

type Tree = Record<string, unknown>;

/** Rewrites the copy of a schema. `home` is where the outermost schema of the same value stands. */
export type Rewrite = (copy: Tree, pointer: string, home: string) => Tree;

/** The values of these keywords are data, whatever they look like; so are `examples` if they are a list. */
const DATA = new Set(['const', 'enum', 'default', 'example', 'value']);

/** The keys below these keywords are names, not keywords: a property `default` is not a default. */
const NAMED = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
  ...['dependentRequired', 'dependencies'],
  ...['paths', 'webhooks', 'responses', 'content', 'headers', 'callbacks', 'encoding', 'links', 'variables'],
  ...['schemas', 'parameters', 'requestBodies', 'securitySchemes', 'pathItems', 'examples'],
]);

/** The schemas below these keywords apply to the same value (JSON Schema 2020-12, section 10.2). */
const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** Copies a document and rewrites every object in it that may be a schema, innermost first. Data stays as it is. */
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
