import { gzipSync } from 'node:zlib';
import { isDateTime } from './service/formats.ts';
import { isList, isMembers, type Members, type Value, writeJson } from './service/json.ts';
import { booksOf, json, membersOf, pageOf, problem, store } from './service/library.ts';
import { route } from './service/routes.ts';
import type { Received, Reply, Variant } from './service/variant.ts';

/** Changes every JSON text that is sent. */
const rendered = (render: (text: string) => string): Variant => ({
  replies: (reply) => (reply.body === undefined ? reply : { ...reply, raw: render(writeJson(reply.body)) }),
});

const headers = (add: (reply: Reply) => Readonly<Record<string, string>>): Variant => ({
  replies: (reply) => ({ ...reply, headers: { ...reply.headers, ...add(reply) } }),
});

/** Replaces the replies that have a status. */
const instead = (status: number, change: (reply: Reply, received: Received) => Reply): Variant => ({
  replies: (reply, received) => (reply.status === status ? change(reply, received) : reply),
});

/** Changes every member of a name in what is sent. */
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

const isInt64 = (text: string): boolean =>
  /^[1-9]\d*$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/** The same instant in UTC, where the calendar has a year of four digits for it. */
const inUtc = (text: string): string => {
  const time = new Date(text);
  const utc = Number.isNaN(time.getTime()) ? text : time.toISOString();
  return isDateTime(utc) ? utc : text;
};

const reversed = (value: Value): Value => {
  if (isList(value)) return value.map(reversed);
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, reversed(each)] as const)
      .reverse(),
  );
};

const tooMany = (every: number, seconds: string): Variant => ({
  receives: ({ operation, index }) =>
    (operation === 'listBooks' || operation === 'getBook') && index % every === 0
      ? problem(429, 'Too many requests', { 'Retry-After': seconds })
      : undefined,
});

/** Right services: "a service that …" keeps its contract. */
export const MANNERS: Readonly<Record<string, Variant>> = {
  'does what the contract says': {},
  'refuses wrong credentials with a declared 403': instead(401, (reply, { operation, headers }) =>
    headers.authorization && /Loan/.test(operation ?? '') ? problem(403, 'Not for you') : reply,
  ),
  'answers 404 for an id that cannot be': instead(400, (reply, { segments: { bookId } }) =>
    bookId !== undefined && !isInt64(bookId) ? problem(404, 'There is no such book') : reply,
  ),
  'looks a book up before it reads the body': {
    looksUp: ({ parameters: { bookId } }, { books }) =>
      typeof bookId === 'bigint' && !books.has(bookId) ? problem(404, 'There is no such book') : undefined,
  },
  'has had enough now and then': tooMany(7, '0'),
  'wants a pause once in a while': tooMany(499, '1'),
  'says 422 where it may': instead(400, (reply, { operation }) =>
    operation === 'createBook' || operation === 'openLoan' ? problem(422, 'Not like this') : reply,
  ),
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
  'sends members in another order': {
    replies: (reply) => (reply.body === undefined ? reply : { ...reply, body: reversed(reply.body) }),
  },
  'writes JSON with blanks': rendered((text) =>
    text.replaceAll(/("(?:[^"\\]|\\.)*")|([,:[{])/g, '$1$2 ').concat('\n'),
  ),
  'escapes all that is not ASCII': rendered((text) =>
    text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  'writes integers with a fraction of zero': rendered((text) => text.replaceAll(/("total":\d+)/g, '$1.0')),
  'names the charset': headers(
    ({ headers: { 'Content-Type': type } }): Readonly<Record<string, string>> =>
      type ? { 'Content-Type': `${type}; charset=UTF-8` } : {},
  ),
  'writes media types in capitals': headers(
    ({ headers: { 'Content-Type': type } }): Readonly<Record<string, string>> =>
      type ? { 'Content-Type': type.toUpperCase() } : {},
  ),
  'sends more headers': headers(() => ({
    Server: 'library',
    Vary: 'Accept',
    'Set-Cookie': 'a=b',
    'X-Runtime': '0.1',
  })),
  'closes every connection': headers(() => ({ Connection: 'close' })),
  'sends its replies in chunks': {
    writes: (response, { status, headers, body, raw }) => {
      response.writeHead(status, headers);
      if (status !== 204)
        response.write((raw ?? (body === undefined ? '' : writeJson(body))).toString() || ' ');
      response.end();
      return true;
    },
  },
  'compresses for those who ask': {
    writes: (response, { status, headers, body, raw }, received) => {
      if (status === 204 || !/gzip/.test(String(received.headers['accept-encoding']))) return false;
      const bytes = gzipSync(raw ?? (body === undefined ? '' : writeJson(body)));
      response.writeHead(status, { ...headers, 'Content-Encoding': 'gzip', 'Content-Length': bytes.length });
      response.end(bytes);
      return true;
    },
  },
  'answers slowly': {
    writes: (response, { status, headers, body }, { operation }) => {
      if (operation !== 'getStatus') return false;
      setTimeout(() => response.writeHead(status, headers).end(writeJson(body ?? null)), 50);
      return true;
    },
  },
  'allows methods in another order': instead(405, (reply) => ({
    ...reply,
    headers: {
      ...reply.headers,
      Allow: `OPTIONS,${(reply.headers.Allow ?? '').split(', ').reverse().join(',')}`,
    },
  })),
  'answers 404 for methods that it does not have': instead(405, () => problem(404, 'There is no such thing')),
  'does not know TRACE': {
    receives: ({ method }) => (method === 'TRACE' ? problem(501, 'What is TRACE?') : undefined),
  },
  'answers OPTIONS': {
    receives: ({ method, path }) => {
      const { methods } = route(method, path);
      return method === 'OPTIONS' && methods.length > 0
        ? { status: 204, headers: { Allow: [...methods, 'OPTIONS'].join(', ') } }
        : undefined;
    },
  },
  'answers HEAD': {
    receives: ({ method, path }) =>
      method === 'HEAD' && /^\/(status|catalogue)$/.test(path)
        ? { status: 200, headers: { 'Content-Type': 'application/json', 'Content-Length': '17' } }
        : undefined,
  },
  'wants credentials for unknown paths, too': {
    receives: ({ headers, path, operation }) =>
      operation === undefined && path !== '/status' && !headers.authorization
        ? problem(401, 'Who are you?', { 'WWW-Authenticate': 'Bearer' })
        : undefined,
  },
  'says more about wrong tokens': instead(401, (reply) => ({
    ...reply,
    headers: { ...reply.headers, 'WWW-Authenticate': 'Bearer realm="library", error="invalid_token", Basic' },
  })),
  'refuses unknown query parameters': {
    receives: ({ operation, query }) =>
      operation === 'listBooks' && query.split('&').some((pair) => !/^(limit|offset|genre)=|^$/.test(pair))
        ? problem(400, 'What is this parameter?')
        : undefined,
  },
  'refuses U+0000': { refuses: ({ sent, parameters }) => writeJson([sent, parameters]).includes('\\u0000') },
  'refuses large bodies': {
    receives: ({ operation, body }) =>
      (operation === 'createBook' || operation === 'putShelf') && body.length > 8192
        ? problem(413, 'Too large')
        : undefined,
  },
  'refuses members that only it may write': {
    refuses: ({ operation, sent }) =>
      operation === 'putShelf' && ['code', 'updatedAt'].some((name) => Object.hasOwn(membersOf(sent), name)),
  },
  'leaves out what is null': members((_, value) => (value === null ? undefined : value)),
  'writes times in UTC': members((name, value) => (name === 'acquired' ? inUtc(String(value)) : value)),
  'writes times in its own zone': members((name, value) =>
    name === 'createdAt' || name === 'updatedAt' ? '2026-01-01T10:00:00.123456+05:30' : value,
  ),
  'writes UUIDs in capitals': members((name, value) =>
    name === 'id' && typeof value === 'string' ? value.toUpperCase() : value,
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
  'deletes twice': {
    handlers: () => ({}),
    ...instead(404, (reply, { operation }) =>
      operation === 'deleteBook' || operation === 'closeLoan' ? { status: 204, headers: {} } : reply,
    ),
  },
  'has no reviews of books that it does not have': instead(404, (reply, { operation }) =>
    operation === 'listReviews' ? json(200, []) : reply,
  ),
};
