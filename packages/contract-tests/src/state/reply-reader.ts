import { mediaKindOf } from '@trellis/openapi/internal/http';
import type { Schemas } from '../document/contract.ts';
import { type Operation, replyFor } from '../document/operations.ts';
import { type Reply, single } from '../requests/call.ts';
import { idMemberOf, idNamesOf } from '../resources/identity.ts';
import type { Resource } from '../resources/resources.ts';
import { isObject, type Json, type Members, readJson, textOf } from '../values/json.ts';
import type { Schema } from '../values/schema.ts';

/** A value in a reply, and its schema. */
interface Fragment {
  readonly value: Json;
  readonly schema: Schema;
}

/** An instance in a reply. */
export interface Shown {
  readonly members: Members;
  readonly schema: Schema;
  /** The name of its id member. */
  readonly idMember: string | undefined;
  /** Its id, if it is a scalar. */
  readonly id: string | undefined;
}

/** One page of a list. */
export interface Page {
  readonly items: readonly Shown[];
  /** The total number of things, if the reply contains it. */
  readonly total: number | undefined;
  /** The cursor or URL of the next page. */
  readonly next: string | undefined;
  readonly hasMore: boolean;
}

const LIST_NAMES = ['items', 'data', 'results', 'records', 'content', 'entries', 'values'];
const TOTAL = /^total(?:_?(?:count|items|elements|results|records))?$/i;
const NEXT = /^next(?:_?(?:cursor|page_?token|token|page|link|url))?$|^cursor$|^continuation_?token$/i;
const MORE = /^(?:has_?(?:more|next)(?:_?page)?|more)$/i;
const DEEPEST = 2;

/** Creates functions that find instances and lists in replies, inside envelopes. */
export const createReplyReader = ({ memberOf, itemOf, namesOf }: Schemas) => {
  const fragmentsIn = (part: Fragment, name = '', depth = 0): (Fragment & { readonly name: string })[] => [
    { ...part, name },
    ...(isObject(part.value) && depth < DEEPEST
      ? Object.entries(part.value).flatMap(([key, value]) =>
          fragmentsIn({ value, schema: memberOf(part.schema, key) }, key, depth + 1),
        )
      : []),
  ];

  const bodyOf = (operation: Operation, reply: Reply): Fragment | undefined => {
    const type = single(reply.headers['content-type']) ?? '';
    const value = mediaKindOf(type) === 'json' ? readJson(reply.body) : undefined;
    const declared = replyFor(operation, reply.status)?.contents.find(({ kind }) => kind === 'json');
    return value === undefined || !declared ? undefined : { value, schema: declared.schema };
  };

  const shownAs = (resource: Resource, { value, schema }: Fragment): Shown[] => {
    if (!isObject(value)) return [];
    const idMember = idMemberOf(idNamesOf(resource), Object.keys(value));
    const id = idMember === undefined ? undefined : value[idMember];
    const isText = id !== undefined && id !== null && typeof id !== 'object';
    return [{ members: value, schema, idMember, id: isText ? textOf(id) : undefined }];
  };

  /** Finds the instance in a reply: the outermost object with an id, else the object with most members of `sent`. */
  const instanceIn = (
    resource: Resource,
    operation: Operation,
    reply: Reply,
    sent: Json | undefined,
  ): Shown | undefined => {
    const body = bodyOf(operation, reply);
    const objects = (body ? fragmentsIn(body) : []).flatMap((each) => shownAs(resource, each));
    const shared = ({ schema }: Shown): number =>
      [...namesOf(schema)].filter((name) => isObject(sent) && Object.hasOwn(sent, name)).length;
    return (
      objects.find(({ idMember }) => idMember !== undefined) ??
      objects.sort((one, other) => shared(other) - shared(one))[0]
    );
  };

  /** Finds the list in a reply; undefined if there are several candidates. */
  const pageIn = (resource: Resource, operation: Operation, reply: Reply): Page | undefined => {
    const body = bodyOf(operation, reply);
    if (!body) return undefined;
    const parts = fragmentsIn(body);
    const names = idNamesOf(resource);
    const lists = parts.filter(({ value }) => Array.isArray(value));
    const known = lists.filter(
      ({ value, schema }) =>
        idMemberOf(names, namesOf(itemOf(schema, 0))) !== undefined && Array.isArray(value),
    );
    const own = resource.title.slice(resource.title.lastIndexOf('/') + 1);
    const [list, ...others] =
      known.length === 1 ? known : known.filter(({ name }) => name === own || LIST_NAMES.includes(name));
    if (!list || others.length > 0 || !Array.isArray(list.value)) return undefined;
    const named = (pattern: RegExp) => parts.find(({ name }) => pattern.test(name))?.value;
    const header = single(reply.headers['x-total-count']);
    const total = named(TOTAL) ?? (header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined);
    const [, linked] = /<([^>]*)>[^<]*;\s*rel="?next"?/i.exec(single(reply.headers.link) ?? '') ?? [];
    const next = linked ?? named(NEXT);
    return {
      items: list.value.flatMap((item: Json, index: number) =>
        shownAs(resource, { value: item, schema: itemOf(list.schema, index) }),
      ),
      total: typeof total === 'number' ? total : undefined,
      next: typeof next === 'string' && next !== '' ? next : undefined,
      hasMore: named(MORE) === true || (typeof next === 'string' && next !== ''),
    };
  };

  return { instanceIn, pageIn };
};
