import {
  fromDocument,
  holds,
  isBigint,
  isTree,
  ownMember,
  pointerTo,
  refAt,
  type Tree,
  valueAt,
} from '@trellis/openapi/internal/json';
import { defaultOf, isLeftOut, subtypesAt } from '@trellis/openapi/internal/schema';
import type { FuncKeywordDefinition } from 'ajv';
import type { Check, CheckAt } from './references.ts';
import {
  createValidationContext,
  type Edit,
  type Edits,
  joinEdits,
  type ValidationContext,
} from './validation-context.ts';

/** Whether the types have literals for the constants of a schema. They do not if a number cannot hold a constant. */
const hasLiterals = ({ enum: listed, const: only }: Tree): boolean =>
  [listed, only].some((each) => each !== undefined) && !holds([listed, only], isBigint);

/** Whether the types promise a bigint for the values of a schema. */
export const isInt64 = (schema: unknown): boolean =>
  isTree(schema) &&
  schema.format === 'int64' &&
  [schema.type].flat().includes('integer') &&
  !hasLiterals(schema);

/** The pointers of a schema's parts, of its target, and of its subtypes. */
const belowSchema = (document: unknown, at: string): string[] => {
  const schema = valueAt(document, at);
  if (!isTree(schema)) return [];
  const parts = Object.keys(schema).map((key) => at + pointerTo(key));
  const subtypes = [...(subtypesAt(document, at)?.named.values() ?? [])].flat();
  return parts.concat(refAt(document, at) ?? [], subtypes);
};

const isEdited = (schema: unknown): boolean =>
  isInt64(schema) || ownMember(schema, 'readOnly') === true || ownMember(schema, 'default') !== undefined;

/**
 * Finds whether decoding may change values of a schema, or any part of them. It does not recurse, which would overflow the
 * call stack where a thousand schemas each refer to the next one.
 */
export const createMayEdit = (document: unknown) => {
  const known = new Map<string, boolean>();
  return (pointer: string): boolean => {
    /** The pointers found so far, each with its parent. Iterating a map includes entries that are added meanwhile. */
    const parents = new Map<string, string | undefined>([[pointer, undefined]]);
    for (const at of parents.keys()) {
      if (known.get(at) ?? isEdited(valueAt(document, at))) {
        for (let each: string | undefined = at; each !== undefined; each = parents.get(each))
          known.set(each, true);
        return true;
      }
      if (known.has(at)) continue;
      for (const part of belowSchema(document, at)) if (!parents.has(part)) parents.set(part, at);
    }
    for (const each of parents.keys()) known.set(each, false);
    return false;
  };
};

/** The keyword of a schema whose members have defaults, or are left out of requests. It holds the pointer of the schema. */
export const MEMBER_EDITS = 'x-member-edits';

/** The members of the schema at a pointer that decoding changes: with their default, or without it those that it removes. */
export const editedMembers = (document: unknown, pointer: string) =>
  Object.keys(ownMember(valueAt(document, pointer), 'properties') ?? {}).flatMap((name) => {
    const at = pointer + pointerTo('properties', name);
    const isRemoved = isLeftOut(document, at, 'request');
    const fallback = isRemoved ? undefined : defaultOf(document, at, ['allOf']);
    return isRemoved || fallback !== undefined ? [{ name, at, fallback }] : [];
  });

const addMember = ({ holder, key, value }: Edit): void => {
  if (!Object.hasOwn(holder, key))
    Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};

/**
 * Decodes a value that its schemas have accepted, in place: integers become bigints where the types promise a bigint,
 * defaults are added for members that were not sent, and `readOnly` members are removed. Removals go last.
 */
export const applyEdits = ({ edits }: ValidationContext): void => {
  const pending = [edits];
  const removals: Edit[] = [];
  const seen = new Set<Edits>();
  for (let edit = pending.pop(); edit; edit = pending.pop())
    if ('first' in edit) {
      if (!seen.has(edit)) pending.push(edit.second, edit.first);
      seen.add(edit);
    } else if (edit.value === undefined) removals.push(edit);
    else if (edit.isNew) addMember(edit);
    else edit.holder[edit.key] = edit.value;
  for (const { holder, key } of removals) Reflect.deleteProperty(holder, key);
};

/** Creates a function that makes a new copy of a default, decoded; `undefined` if its own schema refuses it. */
export const createDefault =
  (check: Check, fallback: unknown): (() => unknown) =>
  () => {
    const holder: Tree = {};
    const { value, exact } = fromDocument(fallback);
    const context = createValidationContext(value, exact);
    holder.value = value;
    const place = { parentData: holder, parentDataProperty: 'value' };
    if (!check.call(context, value, { ...place, instancePath: '', rootData: holder, dynamicAnchors: {} }))
      return undefined;
    applyEdits(context);
    return holder.value;
  };

/** Collects the edits of members. */
export const createMemberEdits = (document: unknown, checkAt: CheckAt): FuncKeywordDefinition => ({
  keyword: MEMBER_EDITS,
  type: 'object',
  schemaType: 'string',
  errors: false,
  compile: (pointer: string): Check => {
    const members = editedMembers(document, pointer).map(({ name, at, fallback }) => ({
      name,
      // `npm run generate` warns of a default that its own schema refuses.
      makeDefault: fallback === undefined ? undefined : createDefault(checkAt(at), fallback),
    }));
    return function (holder) {
      if (!isTree(holder)) return true;
      for (const { name: key, makeDefault } of members) {
        if (makeDefault && Object.hasOwn(holder, key)) continue;
        const value = makeDefault?.();
        if (value !== undefined || !makeDefault)
          this.edits = joinEdits(this.edits, { holder, key, value, isNew: true });
      }
      return true;
    };
  },
});
