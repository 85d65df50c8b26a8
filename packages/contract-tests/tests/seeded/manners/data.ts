import { isDateTime, isUuid } from '../service/formats.ts';
import { isList, isMembers, type Members, type Value } from '../service/json.ts';
import { booksOf, json, membersOf, pageOf, store } from '../service/library.ts';
import { withKin } from '../service/routes.ts';
import type { Variant, Variants } from '../service/variant.ts';
import { instead } from './instead.ts';

/** Changes every member of a name in replies. */
const members = (change: (name: string, value: Value) => Value | undefined): Variant => {
  const walk = (value: Value): Value => {
    if (isList(value)) return value.map(walk);
    if (!isMembers(value)) return value;
    const entries = Object.entries(value).flatMap(([name, each]) => {
      const changed = change(name, walk(each));
      return changed === undefined ? [] : [[name, changed] as const];
    });
    return Object.fromEntries(entries);
  };
  return { replies: (reply) => (reply.body === undefined ? reply : { ...reply, body: walk(reply.body) }) };
};

/** The same instant in UTC, where the calendar has a year of four digits for it. */
const inUtc = (text: string): string => {
  const time = new Date(text);
  const utc = Number.isNaN(time.getTime()) ? text : time.toISOString();
  return isDateTime(utc) ? utc : text;
};

/** Unusual but correct replies. */
export const DATA_MANNERS: Variants = {
  'answers a create with 200': instead(201, (reply, { operation }) =>
    operation === 'createBook' ? { ...reply, status: 200 } : reply,
  ),
  'adds members where the contract is open': {
    replies: (reply, { operation }) =>
      isMembers(reply.body) &&
      (reply.status >= 400 || /Shelf|Status|addReview|Feedback/.test(operation ?? ''))
        ? { ...reply, body: { ...reply.body, _links: { self: '/' }, served: 1n } }
        : reply,
  },
  'ignores unknown members of a shelf': {
    handlers: ({ putShelf }) => ({
      putShelf: (call) => {
        const known = ['capacity', 'room', 'note', 'labels', 'pin'];
        const kept = Object.entries(membersOf(call.sent)).filter(([name]) => known.includes(name));
        return putShelf({ ...call, sent: Object.fromEntries(kept) });
      },
    }),
  },
  'omits null members': members((name, value) =>
    value === null && /^(subtitle|text|note)$/.test(name) ? undefined : value,
  ),
  'writes times in UTC': members((name, value) => (name === 'acquired' ? inUtc(String(value)) : value)),
  'writes times in its own zone': members((name, value) =>
    name === 'createdAt' || name === 'updatedAt' ? '2026-01-01T10:00:00.123456+05:30' : value,
  ),
  'writes UUIDs in capitals': members((name, value) =>
    name === 'id' && typeof value === 'string' && isUuid(value) ? value.toUpperCase() : value,
  ),
  'sends weak tags': instead(200, (reply) =>
    reply.headers.ETag ? { ...reply, headers: { ...reply.headers, ETag: `W/${reply.headers.ETag}` } } : reply,
  ),
  'sends no tags': instead(200, ({ headers: { ETag: _, ...headers }, ...reply }) => ({ ...reply, headers })),
  'sends an absolute Location': {
    replies: (reply, { headers }) =>
      reply.headers.Location
        ? {
            ...reply,
            headers: { ...reply.headers, Location: `http://${headers.host}${reply.headers.Location}` },
          }
        : reply,
  },
  'lists the newest first': {
    handlers: (_, library) => ({ listBooks: (call) => pageOf(booksOf(library, call).toReversed(), call) }),
  },
  'lists ten at a time': {
    handlers: ({ listBooks }) => ({
      listBooks: (call) => {
        const { limit = 20n } = call.parameters;
        return listBooks({
          ...call,
          parameters: { ...call.parameters, limit: Number(limit) > 10 ? 10n : limit },
        });
      },
    }),
  },
  'has books already': {
    handlers: (_, library) => {
      const old: Members = { title: 'Old', genre: 'travel', pages: 41n, subtitle: null, tags: [] };
      for (let count = 0; count < 250; count += 1) store(library, old);
      return {};
    },
  },
  'deletes twice': instead(404, (reply, { operation }) =>
    operation === 'deleteBook' || operation === 'closeLoan' ? { status: 204, headers: {} } : reply,
  ),
  'has no reviews of books that it does not have': {
    where: withKin(['listReviews']),
    ...instead(404, (reply, { operation }) => (operation === 'listReviews' ? json(200, []) : reply)),
  },
};
