import { isList, isMembers, type Members, type Value, writeJson } from '../service/json.ts';
import { membersOf, problem } from '../service/library.ts';
import type { OperationId } from '../service/routes.ts';
import type { Bug, Bugs, Received, Reply } from '../service/variant.ts';

type Change = (reply: Reply, received: Received) => Reply;

const on = (operation: OperationId, status: number, change: Change): Bug => ({
  names: [operation],
  replies: (reply, received) =>
    received.operation === operation && reply.status === status ? change(reply, received) : reply,
});

const body = (operation: OperationId, status: number, change: (body: Members) => Value): Bug =>
  on(operation, status, (reply) => ({ ...reply, body: change(membersOf(reply.body)) }));

const headers = (operation: OperationId, status: number, changed: Readonly<Record<string, string>>): Bug =>
  on(operation, status, (reply) => ({ ...reply, headers: { ...reply.headers, ...changed } }));

const without = (operation: OperationId, status: number, gone: string): Bug =>
  on(operation, status, ({ headers, ...reply }) => ({
    ...reply,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== gone)),
  }));

const text = (operation: OperationId, change: (text: string) => string | Buffer): Bug =>
  on(operation, operation === 'createBook' || operation === 'openLoan' ? 201 : 200, (reply) => ({
    ...reply,
    raw: change(writeJson(reply.body ?? null)),
  }));

/** Changes a member only where a book has it. */
const member = (name: string, change: (value: Value) => Value): Bug =>
  body('createBook', 201, (book) => (name in book ? { ...book, [name]: change(book[name] ?? null) } : book));

const items = (change: (item: Members) => Value): Bug =>
  body('listBooks', 200, ({ items, ...page }) => ({
    ...page,
    items: isList(items) ? items.map((item) => change(membersOf(item))) : [],
  }));

/** Replies that violate the contract. */
export const REPLY_BUGS: Bugs = {
  'answers a create with 202': on('createBook', 201, (reply) => ({ ...reply, status: 202 })),
  'answers a delete with 200': on('deleteBook', 204, () => ({ status: 200, headers: {} })),
  'answers a status without a body': on('getStatus', 200, ({ status, headers }) => ({ status, headers })),
  'calls JSON text/html': headers('listBooks', 200, { 'Content-Type': 'text/html' }),
  'sends JSON without a media type': without('openLoan', 201, 'Content-Type'),
  'sends the catalogue as JSON': headers('exportCatalogue', 200, { 'Content-Type': 'application/json' }),
  'leaves out a member of a loan': body('getLoan', 200, ({ state: _, ...loan }) => loan),
  'leaves out the creation time of a created book': body(
    'createBook',
    201,
    ({ createdAt: _, ...book }) => book,
  ),
  'lists pages as text': items((book) => ({ ...book, pages: String(book.pages) })),
  'writes the total as text': body('listBooks', 200, (page) => ({ ...page, total: String(page.total) })),
  'sends null for a website that is not set': body('createBook', 201, (book) => ({ website: null, ...book })),
  'adds a member to dimensions': member('dimensions', (value) => ({ ...membersOf(value), depth: 1n })),
  'adds a member to a loan': body('openLoan', 201, (loan) => ({ ...loan, secret: 'x' })),
  'knows a genre more': body('createBook', 201, (book) =>
    book.genre === 'travel' ? { ...book, genre: 'crime' } : book,
  ),
  'sends a barcode beyond int64': member('barcode', () => 2n ** 63n),
  'writes times with a space': body('getBook', 200, (book) => ({
    ...book,
    createdAt: '2026-01-01 10:00:00',
  })),
  'writes dates the German way': member('published', () => '24.12.2025'),
  'repeats a tag': member('tags', (tags) => (isList(tags) ? [...tags, ...tags.slice(0, 1)] : tags)),
  'leaves out Location': without('openLoan', 201, 'Location'),
  'leaves out X-Total-Count': without('listBooks', 200, 'X-Total-Count'),
  'sends a word in X-Total-Count': headers('listBooks', 200, { 'X-Total-Count': 'many' }),
  'sends a negative X-Total-Count': headers('listBooks', 200, { 'X-Total-Count': '-1' }),
  'sends an ETag without quotes': headers('getBook', 200, { ETag: 'v1' }),
  'sends null for a list without items': body('listBooks', 200, (page) =>
    isList(page.items) && page.items.length === 0 ? { ...page, items: null } : page,
  ),
  'sends a trailing comma': text('getStatus', (json) => json.replace(/\}$/, ',}')),
  'sends half of the JSON': text('createBook', (json) => json.slice(0, json.length / 2)),
  'encodes JSON twice': text('getShelf', (json) => JSON.stringify(json)),
  'sends NaN': text('getStatus', () => '{"state":"open","version":"1.0","visitors":NaN}'),
  'sends titles in Latin-1': text('createBook', (json) =>
    Buffer.from(json.replaceAll(/[^\n -~]/gu, 'é'), 'latin1'),
  ),
  'makes ids that are no UUID': body('openLoan', 201, (loan) => ({ ...loan, id: `loan-${loan.id}` })),
  'confuses the branches of a union': body('openLoan', 201, ({ terms, ...loan }) => ({
    ...loan,
    terms: isMembers(terms) && terms.kind === 'room' ? { ...terms, kind: 'home' } : (terms ?? null),
  })),
  'searches by pages and sends a bare list': on('searchBooks', 200, (reply, { query }) =>
    query.includes('sort=pages') ? { ...reply, body: membersOf(reply.body).items } : reply,
  ),
  'shows the pin of a shelf': on('putShelf', 201, (reply, { body }) =>
    body.includes('"pin":"') ? { ...reply, body: { ...membersOf(reply.body), pin: '1234' } } : reply,
  ),
  'says 404 in another shape': on('getBook', 404, (reply) => ({ ...reply, body: { error: 'no such book' } })),
  'says 404 for a shelf in HTML': on('getShelf', 404, () => ({
    status: 404,
    headers: { 'Content-Type': 'text/html' },
    raw: '<h1>Not found</h1>',
  })),
  'says 401 in plain text': on('getBook', 401, () => ({
    status: 401,
    headers: { 'Content-Type': 'text/plain', 'WWW-Authenticate': 'Bearer' },
    raw: 'Unauthorized',
  })),
  'says 400 with a status as text': on('openLoan', 400, (reply) => ({
    ...reply,
    body: { title: 'no', status: '400' },
  })),
  'says 400 without a body': on('createBook', 400, () => ({ status: 400, headers: {} })),
  'refuses an unknown shelf with 410': on('getShelf', 404, () => problem(410, 'The shelf is gone')),
};
