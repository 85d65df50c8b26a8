import { holds, ownMember, uriFragment } from '../json/pointer.ts';
import { rewriteSchemas } from './rewrite.ts';

/** The name in a reference such as `#name`, which is not a pointer (JSON Schema 2020-12, section 8.2.2). */
const anchorOf = (ref: unknown): string | undefined =>
  typeof ref === 'string' && /^#[^/]/.test(ref) ? ref.slice(1) : undefined;

const mayNameAnchor = (value: unknown): boolean =>
  ownMember(value, '$dynamicRef') !== undefined || anchorOf(ownMember(value, '$ref')) !== undefined;

/** The pointers of the schemas in a file that have an `$anchor` or a `$dynamicAnchor`, by its name. */
export const anchorsIn = (page: unknown): ReadonlyMap<unknown, string> => {
  const anchors = new Map<unknown, string>();
  rewriteSchemas(page, (schema, pointer) => {
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = ownMember(schema, keyword);
      if (typeof name === 'string' && !anchors.has(name)) anchors.set(name, pointer);
    }
    return schema;
  });
  return anchors;
};

/**
 * A copy of a file in which all references are pointers: `$ref: '#name'` points to where `$anchor: name` stands. A file is
 * one schema resource, so the same goes for `$dynamicRef` (JSON Schema 2020-12, section 8.2.3.2).
 */
export const withPointers = (page: unknown): unknown => {
  if (!holds(page, mayNameAnchor)) return page;
  const anchors = anchorsIn(page);
  return rewriteSchemas(page, (schema) => {
    const { $dynamicRef, ...rest } = schema;
    const ref = $dynamicRef ?? schema.$ref;
    const at = anchors.get(anchorOf(ref));
    if (at !== undefined) return { ...rest, $ref: uriFragment(at) };
    return $dynamicRef === undefined ? schema : { ...rest, $ref: $dynamicRef };
  });
};
