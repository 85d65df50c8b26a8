import { isTree, ownMember } from '@trellis/openapi/json';
import { partsIn } from './data.ts';
import type { Tree } from './sources.ts';

/** How schemas are looked up and replaced. */
export interface SchemaEditor {
  readonly resolve: (ref: string) => unknown;
  readonly replace: (holder: Tree, name: string, schema: Tree) => void;
}

/** All schemas that apply to a value together: the schema, what it refers to, and its `allOf`. */
export const schemasTogether = (
  resolve: SchemaEditor['resolve'],
  schema: unknown,
  keywords: readonly string[] = ['allOf'],
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

/** The lists of required names in a schema, each as its holder and key. */
const listsOf = (schema: Tree): [holder: Tree, key: string][] => {
  const { dependentRequired } = schema;
  return [
    [schema, 'required'],
    ...(isTree(dependentRequired)
      ? Object.keys(dependentRequired).map((name): [Tree, string] => [dependentRequired, name])
      : []),
  ];
};

/**
 * Turns `readOnly` (or `writeOnly`) into plain JSON Schema: such a member must not be present, and is not required. In JSON
 * Schema itself these are mere annotations (2020-12 validation, section 9.4).
 */
export const hideMembers = (
  root: unknown,
  flag: 'readOnly' | 'writeOnly',
  { resolve, replace }: SchemaEditor,
): void => {
  const together = (schema: unknown, keywords?: readonly string[]): Tree[] =>
    schemasTogether(resolve, schema, keywords);
  /** One branch with the flag is enough. */
  const isHidden = (schema: unknown): boolean =>
    together(schema, ['allOf', 'anyOf', 'oneOf']).some((part) => part[flag] === true);
  const hiddenIn = (schema: Tree): string[] =>
    Object.entries(ownMember(schema, 'properties') ?? {}).flatMap(([name, member]) =>
      isHidden(member) ? [name] : [],
    );

  const found = [...partsIn(root)].flatMap((schema) => {
    const parts = isTree(schema.properties) || Array.isArray(schema.allOf) ? together(schema) : [];
    const names = new Set(parts.flatMap(hiddenIn));
    return names.size > 0 ? [{ parts, names }] : [];
  });
  for (const { parts, names } of found)
    for (const part of parts) {
      for (const [holder, key] of listsOf(part)) {
        const list = holder[key];
        if (Array.isArray(list)) holder[key] = list.filter((name: unknown) => !names.has(String(name)));
      }
      if (isTree(part.properties))
        for (const name of names)
          if (Object.hasOwn(part.properties, name)) replace(part.properties, name, { not: {} });
    }
};
