import { holds, ownMember, uriFragment } from '../json/pointer.ts';
import { rewriteSchemas } from './rewrite.ts';

/** The name in a reference such as `#name`, which is not a pointer (JSON Schema 2020-12, section 8.2.2). */
const anchorOf = (ref: unknown): string | undefined =>
  typeof ref === 'string' && /^#[^/]/.test(ref) ? ref.slice(1) : undefined;

const mayNameAnchor = (value: unknown): boolean =>
  ownMember(value, '$dynamicRef') !== undefined || anchorOf(ownMember(value, '$ref')) !== undefined;

/**
 * A copy of a document in which all references are pointers: `$ref: '#name'` points to where `$anchor: name` stands.
 * A document is one schema resource, so the same goes for `$dynamicRef` (JSON Schema 2020-12, section 8.2.3.2).
 * `broken` is called for each name without an anchor.
 */
export const withPointers = (
  document: unknown,
  broken?: (pointer: string, name: string) => void,
): unknown => {
  if (!holds(document, mayNameAnchor)) return document;
  const anchors = new Map<unknown, string>();
  const copy = rewriteSchemas(document, (schema, pointer) => {
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = ownMember(schema, keyword);
      if (typeof name === 'string' && !anchors.has(name)) anchors.set(name, pointer);
    }
    return schema;
  });
  return rewriteSchemas(copy, (schema, pointer) => {
    const { $dynamicRef, ...rest } = schema;
    const ref = $dynamicRef ?? schema.$ref;
    const name = anchorOf(ref);
    const at = anchors.get(name);
    if (name !== undefined && at === undefined) broken?.(pointer, name);
    if (at !== undefined) return { ...rest, $ref: uriFragment(at) };
    return $dynamicRef === undefined ? schema : { ...rest, $ref: $dynamicRef };
  });
};
