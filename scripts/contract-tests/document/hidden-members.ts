import { isTree, memberOf, type Tree } from './tree.ts';

/** How schemas are looked up and put in each other's place. */
export interface Surgery {
  readonly resolve: (ref: string) => unknown;
  readonly replace: (holder: Tree, name: string, schema: Tree) => void;
}

/** Every object and array in a value, itself included. */
export function* treesIn(value: unknown): Generator<Tree> {
  if (!isTree(value)) return;
  yield value;
  for (const member of Object.values(value)) yield* treesIn(member);
}

/**
 * Takes `readOnly` (or `writeOnly`) at its word: such a member must not be there, and is not missed where it is
 * required. JSON Schema itself has no opinion on it (2020-12 validation, section 9.4).
 */
export const hideMembers = (
  root: unknown,
  flag: 'readOnly' | 'writeOnly',
  { resolve, replace }: Surgery,
): void => {
  /** Everything that must hold of a value at once: the schema, what it refers to, all of its `allOf`. */
  const together = (schema: unknown, seen = new Set<unknown>()): Tree[] => {
    if (!isTree(schema) || seen.has(schema)) return [];
    seen.add(schema);
    const parts = [
      typeof schema.$ref === 'string' ? resolve(schema.$ref) : undefined,
      ...(Array.isArray(schema.allOf) ? schema.allOf : []),
    ];
    return [schema, ...parts.flatMap((part) => together(part, seen))];
  };
  const isHidden = (schema: unknown): boolean => together(schema).some((part) => part[flag] === true);
  const hiddenIn = (schema: Tree): string[] =>
    Object.entries(memberOf(schema, 'properties') ?? {}).flatMap(([name, member]) =>
      isHidden(member) ? [name] : [],
    );

  const found = [...treesIn(root)].flatMap((schema) => {
    const parts = isTree(schema.properties) || Array.isArray(schema.allOf) ? together(schema) : [];
    const names = new Set(parts.flatMap(hiddenIn));
    return names.size > 0 ? [{ parts, names }] : [];
  });
  for (const { parts, names } of found)
    for (const part of parts) {
      if (Array.isArray(part.required))
        part.required = part.required.filter((name: unknown) => !names.has(String(name)));
      if (isTree(part.properties))
        for (const name of names)
          if (Object.hasOwn(part.properties, name)) replace(part.properties, name, { not: {} });
    }
};
