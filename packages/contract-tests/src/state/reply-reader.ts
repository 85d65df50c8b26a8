import { mediaKindOf, textOf } from '@trellis/openapi/internal/http';
import type { Schemas } from '../document/contract.ts';
import { type Operation, replyFor } from '../document/operations.ts';
import { type Reply, single } from '../requests/call.ts';
import { idMemberOf, idNamesOf, unwrap } from '../resources/identity.ts';
import type { Resource } from '../resources/resources.ts';
import { isObject, type Json, type Members, readJson } from '../values/json.ts';
import type { Schema } from '../values/schema.ts';

interface Fragment {
  readonly value: Json;
  readonly schema: Schema;
  readonly name: string;
}

/** An instance in a reply. */
export interface Shown {
  readonly members: Members;
  readonly schema: Schema;
  readonly idMember: string | undefined;
  /** Its id, if it is a scalar. */
  readonly id: string | undefined;
}

/** One page of a list. */
export interface Page {
  readonly items: readonly Shown[];
  /** The total number of things, if the reply contains it. */
  readonly total: number | undefined;
  readonly next: string | undefined;
  readonly hasMore: boolean;
}

const LIST_NAMES = ['items', 'data', 'results', 'records', 'content', 'entries', 'values'];
const TOTAL = /^total(?:_?(?:count|items|elements|results|records))?$/i;
const NEXT = /^next(?:_?(?:cursor|page_?token|token|page|link|url))?$|^cursor$|^continuation_?token$/i;
const MORE = /^(?:has_?(?:more|next)(?:_?page)?|more)$/i;

/** The JSON body of a reply and the values in it, outermost first. */
const fragmentsOf = (schemas: Schemas, operation: Operation, reply: Reply): Fragment[] => {
  const type = single(reply.headers['content-type']) ?? '';
  const value = mediaKindOf(type) === 'json' ? readJson(reply.body) : undefined;
  const declared = replyFor(operation, reply.status)?.contents.find(({ kind }) => kind === 'json');
  if (value === undefined || !declared) return [];
  return unwrap(value).map(({ path, value: part }) => ({
    value: part,
    schema: path.reduce(schemas.memberOf, declared.schema),
    name: path.at(-1) ?? '',
  }));
};

const shownAs = (resource: Resource, value: Json, schema: Schema): Shown[] => {
  if (!isObject(value)) return [];
  const idMember = idMemberOf(idNamesOf(resource), Object.keys(value));
  const id = idMember === undefined ? undefined : value[idMember];
  const isText = id !== undefined && id !== null && typeof id !== 'object';
  return [{ members: value, schema, idMember, id: isText ? textOf(id) : undefined }];
};

/** Finds the instance in a reply: the outermost object with an id, else the object with most members of `sent`. */
export const findInstance = (
  schemas: Schemas,
  resource: Resource,
  operation: Operation,
  reply: Reply,
  sent: Json | undefined,
): Shown | undefined => {
  const objects = fragmentsOf(schemas, operation, reply).flatMap(({ value, schema }) =>
    shownAs(resource, value, schema),
  );
  const shared = ({ schema }: Shown): number =>
    [...schemas.namesOf(schema)].filter((name) => isObject(sent) && Object.hasOwn(sent, name)).length;
  return (
    objects.find(({ idMember }) => idMember !== undefined) ??
    objects.sort((one, other) => shared(other) - shared(one))[0]
  );
};

/** Finds the list in a reply; undefined if there are several candidates. */
export const findPage = (
  schemas: Schemas,
  resource: Resource,
  operation: Operation,
  reply: Reply,
): Page | undefined => {
  const parts = fragmentsOf(schemas, operation, reply);
  const names = idNamesOf(resource);
  const known = parts.filter(
    ({ value, schema }) =>
      Array.isArray(value) && idMemberOf(names, schemas.namesOf(schemas.itemOf(schema, 0))) !== undefined,
  );
  const usual = [resource.title.slice(resource.title.lastIndexOf('/') + 1), ...LIST_NAMES];
  const [list, ...others] = known.length === 1 ? known : known.filter(({ name }) => usual.includes(name));
  if (!list || others.length > 0 || !Array.isArray(list.value)) return undefined;
  const named = (pattern: RegExp) => parts.find(({ name }) => pattern.test(name))?.value;
  const header = single(reply.headers['x-total-count']);
  const total = named(TOTAL) ?? (header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined);
  const [, linked] = /<([^>]*)>[^<]*;\s*rel="?next"?/i.exec(single(reply.headers.link) ?? '') ?? [];
  const next = linked ?? named(NEXT);
  const hasNext = typeof next === 'string' && next !== '';
  return {
    items: list.value.flatMap((item: Json, index: number) =>
      shownAs(resource, item, schemas.itemOf(list.schema, index)),
    ),
    total: typeof total === 'number' ? total : undefined,
    next: hasNext ? next : undefined,
    hasMore: named(MORE) === true || hasNext,
  };
};
