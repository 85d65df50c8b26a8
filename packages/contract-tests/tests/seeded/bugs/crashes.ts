import { isList, isMembers, type Value, writeJson } from '../service/json.ts';
import { membersOf, problem } from '../service/library.ts';
import type { OperationId } from '../service/routes.ts';
import type { Bug, Bugs, Call, Received } from '../service/variant.ts';

const crash = (operation: OperationId, crashes: (call: Call) => boolean): Bug => ({
  names: [operation],
  crashes: (call) => call.operation === operation && crashes(call),
});

/** Fails on a member of a book. */
const book = (name: string, crashes: (value: Value | undefined) => boolean): Bug =>
  crash('createBook', ({ sent }) => crashes(membersOf(sent)[name]));

const text = (name: string, pattern: RegExp): Bug =>
  book(name, (value) => typeof value === 'string' && pattern.test(value));

/** Fails before it has looked at the request. */
const early = (operation: OperationId, crashes: (received: Received) => boolean): Bug => ({
  names: [operation],
  receives: (received) =>
    received.operation === operation && crashes(received) ? problem(500, 'The service failed') : undefined,
});

const isJson = (body: Buffer): boolean => {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
};

const depthOf = (value: Value | undefined): number => {
  if (!isList(value) && !isMembers(value)) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
};

/** What makes a service fail. */
export const CRASH_BUGS: Bugs = {
  'fails on characters beyond the BMP': text('title', /[\u{10000}-\u{10ffff}]/u),
  'fails on letters beyond ASCII': text('title', /[^\0-\x7f]/),
  'fails on a long title': book('title', (value) => typeof value === 'string' && [...value].length > 50),
  'fails on an apostrophe': text('title', /'/),
  'fails on a quotation mark': text('title', /"/),
  'fails on a backslash': text('title', /\\/),
  'fails on a line break': text('title', /\n/),
  'fails on blanks alone': text('title', /^\s+$/),
  'fails on U+0000': text('title', /\0/),
  'fails on an empty subtitle': text('subtitle', /^$/),
  'fails on a subtitle that is null': book('subtitle', (value) => value === null),
  'fails on a percent sign in a search': crash('searchBooks', ({ parameters }) =>
    String(parameters.q).includes('%'),
  ),
  'fails on an ampersand in a search': crash('searchBooks', ({ parameters }) =>
    String(parameters.q).includes('&'),
  ),
  'fails on an empty list of tags': book('tags', (value) => isList(value) && value.length === 0),
  'fails on a comma in a tag': book(
    'tags',
    (value) => isList(value) && value.some((tag) => String(tag).includes(',')),
  ),
  'fails on a subtitle with a website': crash('createBook', ({ sent }) =>
    ['subtitle', 'website'].every((name) => Object.hasOwn(membersOf(sent), name)),
  ),
  'fails on a book with all that it may have': crash(
    'createBook',
    ({ sent }) => Object.keys(membersOf(sent)).length === 15,
  ),
  'fails on a book with no more than it must have': crash(
    'createBook',
    ({ sent }) => Object.keys(membersOf(sent)).length === 3,
  ),
  'fails on a leap day': text('published', /-02-29$/),
  'fails on the year 9999': text('published', /^9999/),
  'fails on years before 1000': text('published', /^0/),
  'fails on an offset in a time': text('acquired', /[+-]\d\d:\d\d$/),
  'fails on a free book': book('price', (value) => value === 0n),
  'fails on minus zero': crash('createBook', ({ body }) => /[:,[]-0(\.0+)?[,}]/.test(body.toString())),
  'fails on integers beyond 2^53': book(
    'barcode',
    (value) => typeof value === 'bigint' && (value > 2n ** 53n || value < -(2n ** 53n)),
  ),
  'fails on the smallest int64': book('barcode', (value) => value === -(2n ** 63n)),
  'fails on an exponent': crash('createBook', ({ body }) =>
    /\d[eE][+-]?\d/.test(body.toString().replaceAll(/"[^"]*"/g, '')),
  ),
  'fails on __proto__': crash('openLoan', ({ sent }) => writeJson(sent).includes('"__proto__"')),
  'fails on deep labels': crash('putShelf', ({ sent }) => depthOf(membersOf(sent).labels) > 3),
  'fails on an unknown member': crash('putShelf', ({ sent }) =>
    Object.keys(membersOf(sent)).some(
      (name) => !/^(code|capacity|room|note|labels|pin|updatedAt)$/.test(name),
    ),
  ),
  'fails on an author born in the year 0': book(
    'authors',
    (value) => isList(value) && value.some((author) => membersOf(author).born === 0n),
  ),
  'fails on a large offset': crash('listBooks', ({ parameters }) => Number(parameters.offset) > 1_000_000),
  'fails on a body that is missing': early('createBook', ({ body }) => body.length === 0),
  'fails on malformed JSON': early('openLoan', ({ body }) => body.length > 0 && !isJson(body)),
  'fails on a list instead of an object': early('createBook', ({ body }) => body.toString().startsWith('[')),
  'fails on null instead of an object': early('createBook', ({ body }) => body.toString() === 'null'),
  'fails on a title that is no text': early('createBook', ({ body }) => /"title":[^"]/.test(body.toString())),
  'fails on a negative offset': early('listBooks', ({ query }) => query.includes('offset=-')),
  'fails on an empty limit': early('listBooks', ({ query }) => /limit=(&|$)/.test(query)),
  'fails on a word for an id': early('getBook', ({ segments }) => /[a-z]/i.test(segments.bookId ?? '')),
  'fails on an integer beyond int64 that no format forbids': crash('searchBooks', ({ parameters }) => {
    const { from } = membersOf(parameters.span);
    return typeof from === 'bigint' && from >= 2n ** 63n;
  }),
  'fails on brackets behind a name': early('searchBooks', ({ query }) => /%5B(?:%5D|0)/i.test(query)),
  'fails on an id beyond int64': early('getBook', ({ segments }) => /^\d{20,}$/.test(segments.bookId ?? '')),
  'fails on a percent sign that encodes nothing': {
    names: [],
    receives: ({ path }) => (/%(?![0-9a-f]{2})/i.test(path) ? problem(500, 'The service failed') : undefined),
  },
  'fails on an unknown query parameter': early('listBooks', ({ query }) =>
    query.split('&').some((pair) => pair !== '' && !/^(limit|offset|genre)=/.test(pair)),
  ),
  'fails on an Authorization without a token': early('getBook', ({ headers }) =>
    /^\w+ *$/.test(headers.authorization ?? ''),
  ),
  'fails on bytes that are not UTF-8': early(
    'createBook',
    ({ body }) => !body.equals(Buffer.from(body.toString())),
  ),
};
