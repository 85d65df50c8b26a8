/** Gives names to the schemas outside of components that others refer to: openapi-typescript cannot refer to them. */
import { createKeywordCheck, rewriteSchemas } from '@trellis/openapi/document';
import {
  followRefs,
  getOrInsert,
  isTree,
  ownMember,
  pointerTo,
  targetOf,
  valueAt,
} from '@trellis/openapi/json';

const SCHEMAS = '#/components/schemas/';

/** The references to schemas that openapi-typescript understands. */
const NAMED = /^#\/components\/schemas\/[^/]+(?:\/properties\/[^/]+)*$/;

/** Where other things stand that it can refer to. It writes the first step of any reference as a name, whatever it is. */
const KNOWN = /^#\/(?:components|paths|webhooks)\//;

/** A document in which every reference to a schema leads to a component, and every other one to a known place. */
export const withNamedSchemas = (document: unknown): unknown => {
  const taken = valueAt(document, pointerTo('components', 'schemas')) ?? {};
  const names = new Map<string, string>();
  let count = 0;
  const nextName = (): string => {
    do count += 1;
    while (ownMember(taken, `InPath${count}`) !== undefined);
    return `InPath${count}`;
  };
  const inline = ({ $ref, ...rest }: Record<string, unknown>): Record<string, unknown> => {
    const target = valueAt(document, followRefs(document, targetOf($ref) ?? ''));
    return isTree(target) && target.$ref === undefined ? { ...target, ...rest } : rest;
  };
  const rewritten = rewriteSchemas(document, (object, _pointer, _home, isSchema) => {
    const { $ref } = object;
    if (typeof $ref !== 'string' || (isSchema ? NAMED : KNOWN).test($ref)) return object;
    if (!isSchema) return inline(object);
    return { ...object, $ref: SCHEMAS + getOrInsert(names, $ref, nextName) };
  });
  if (!isTree(rewritten) || names.size === 0) return rewritten;
  const checkKeywords = createKeywordCheck(() => {}); // what stands outside of schemas has not been checked
  const added = [...names].map(([ref, name]) => {
    const schema = valueAt(rewritten, targetOf(ref) ?? '');
    return [
      name,
      schema === rewritten || !isTree(schema) || Array.isArray(schema) ? {} : checkKeywords(schema, ''),
    ];
  });
  const components = isTree(rewritten.components) ? rewritten.components : {};
  const schemas = isTree(components.schemas) ? components.schemas : {};
  return {
    ...rewritten,
    components: { ...components, schemas: { ...schemas, ...Object.fromEntries(added) } },
  };
};
