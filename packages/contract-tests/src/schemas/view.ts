import { rewriteSchemas } from '@trellis/openapi/internal/document';
import { isTree, ownMember, type Tree, targetOf, valueAt } from '@trellis/openapi/internal/json';
import type { Direction } from '@trellis/openapi/internal/schema';
import { hideMembers, honourDiscriminators, honourSubtypes } from './plain-schemas.ts';

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
  /** Resolves a chain of `$ref`s. */
  const follow = (value: unknown): unknown => {
    const ref = ownMember(value, '$ref');
    return typeof ref === 'string' ? follow(resolve(ref)) : value;
  };
  const inPlaceOf = (old: unknown, made: Tree): Tree => {
    const pointer = pointerOf(old);
    if (pointer !== undefined) pointers.set(made, pointer);
    return made;
  };
  hideMembers(schemas, direction === 'request' ? 'readOnly' : 'writeOnly', { resolve, inPlaceOf });
  honourDiscriminators(schemas, { resolve, inPlaceOf });
  if (direction === 'request') honourSubtypes(given, document, { resolve, inPlaceOf });

  return { document, resolve, follow, pointerOf };
};

/** A contract in one direction, in plain JSON Schema. */
export type View = ReturnType<typeof createView>;
