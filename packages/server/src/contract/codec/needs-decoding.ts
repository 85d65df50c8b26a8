import { holds, isBigint, isTree, ownMember, pointerTo, refAt, valueAt } from '@trellis/openapi/json';

/** Whether the types have literals for its constants: not if one of them is beyond what a number can hold. */
const hasLiterals = (schema: unknown): boolean => {
  const constants = [ownMember(schema, 'enum'), ownMember(schema, 'const')];
  return constants.some((each) => each !== undefined) && !holds(constants, isBigint);
};

/** Whether the types promise a bigint. */
export const isInt64 = (schema: unknown): boolean =>
  ownMember(schema, 'format') === 'int64' &&
  [ownMember(schema, 'type')].flat().includes('integer') &&
  !hasLiterals(schema);

/** Finds whether values of a schema need decoding at all, or any part of them does. Most do not. */
export const createNeedsDecoding = (document: unknown) => {
  const needless = new Set<string>();

  const search = (pointer: string, seen: Set<string>): boolean => {
    if (needless.has(pointer) || seen.has(pointer)) return false;
    seen.add(pointer);
    const schema = valueAt(document, pointer);
    if (!isTree(schema)) return false;
    const parts = Object.keys(schema).map((key) => pointer + pointerTo(key));
    const target = refAt(document, pointer) ?? [];
    return (
      isInt64(schema) ||
      schema.readOnly === true ||
      schema.default !== undefined ||
      parts.concat(target).some((part) => search(part, seen))
    );
  };

  return (pointer: string): boolean => {
    const seen = new Set<string>();
    if (search(pointer, seen)) return true;
    for (const each of seen) needless.add(each);
    return false;
  };
};
