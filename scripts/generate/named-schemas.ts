/** Gives names to the schemas in paths that others refer to: openapi-typescript cannot refer into an operation. */
import { rewriteSchemas } from '../../src/contract/document/rewrite.ts';
import { getOrInsert } from '../../src/contract/json/once.ts';
import { isTree, ownMember, pointerTo, targetOf, valueAt } from '../../src/contract/json/pointer.ts';

const SCHEMAS = '#/components/schemas/';

/** A document in which no schema refers into a path. */
export const withNamedSchemas = (document: unknown): unknown => {
  const taken = valueAt(document, pointerTo('components', 'schemas')) ?? {};
  const names = new Map<string, string>();
  let count = 0;
  const nextName = (): string => {
    do count += 1;
    while (ownMember(taken, `InPath${count}`) !== undefined);
    return `InPath${count}`;
  };
  const rewritten = rewriteSchemas(document, (object, _pointer, _home, isSchema) => {
    const { $ref } = object;
    if (!isSchema || typeof $ref !== 'string' || !$ref.startsWith('#/paths/')) return object;
    return { ...object, $ref: SCHEMAS + getOrInsert(names, $ref, nextName) };
  });
  if (names.size === 0 || !isTree(rewritten)) return document;
  const added = [...names].map(([ref, name]) => [name, valueAt(rewritten, targetOf(ref) ?? '')]);
  const components = isTree(rewritten.components) ? rewritten.components : {};
  const schemas = isTree(components.schemas) ? components.schemas : {};
  return {
    ...rewritten,
    components: { ...components, schemas: { ...schemas, ...Object.fromEntries(added) } },
  };
};
