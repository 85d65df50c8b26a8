import { AUTHORIZATION, CHUNKED, HOST, JSON_TYPE, lengthOf, writeRequest } from '../wire.ts';
import { type Choices, type Crowd, type StallCase, type StallClass, toHard, toPlants } from './case.ts';
import { asks, INT64, listOf, takes } from './schemas.ts';
import { BODY_ROOM, fill, HEAD_ROOM, list } from './texts.ts';

const ask = (target: string, fields: string[] = []) => toHard(target, undefined, fields);

const LISTS = Array.from({ length: 20 }, (_, nth) =>
  listOf(nth % 2 === 0 ? { type: 'integer', maximum: nth } : { type: 'string', maxLength: nth }),
);
const MEMBERS = {
  ids: listOf(INT64),
  union: { anyOf: LISTS },
  deep: { type: 'object', additionalProperties: INT64 },
  piped: listOf({ type: 'integer' }),
  json: { type: 'object', additionalProperties: { type: 'array' } },
};
const VALUES = ['1', 'a', '', '%41', '+', '1e1', '9007199254740993', '%00', '%'];
/** Names in a query or a part. `#` stands for a number that grows. */
const NAMES = ['ids', 'union', 'deep[#]', 'n#', 'deep[[[', 'piped'];

const MULTIPART = 'multipart/form-data';
const part = (name: string, value: string, more = ''): string =>
  `--drill\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const sendParts = (parts: string, boundary = 'drill') =>
  toHard('/parts', `${parts}--drill--\r\n`, [`Content-Type: ${MULTIPART}; boundary=${boundary}`]);

const FORMS: StallClass = {
  title: 'forms in parts',
  paths: {
    '/parts': takes('takeParts', { type: 'object', properties: MEMBERS }, MULTIPART),
  },
  cases: {
    'many parts': ({ pick }) =>
      sendParts(list(part(pick(...NAMES), pick(...VALUES), pick('', '; filename="f"')), BODY_ROOM, '')),
    'nearly boundaries': ({ pick }) =>
      sendParts(part('other', fill(pick('--dril', '\r\n--', '--', '\r\n--dril', '-', '\r\n'), 100_000))),
    'a part with a long header': ({ pick }) =>
      sendParts(part('other', '1', `; ${fill(pick(';', 'a', '"', '\\', '; a=b', ' '), 100_000)}`)),
    'a long boundary': ({ pick }) => sendParts('-'.repeat(BODY_ROOM), '-'.repeat(pick(70, 1000, 10_000))),
  },
};

const HEADS: StallClass = {
  title: 'queries, cookies and header fields',
  paths: {
    '/search': asks('search', [
      ...Object.entries(MEMBERS).map(([name, schema]) => ({
        ...{ name, in: 'query', schema },
        ...(name === 'deep' && { style: 'deepObject' }),
        ...(name === 'piped' && { style: 'pipeDelimited', explode: false }),
      })),
      { name: 'X-Ids', in: 'header', schema: MEMBERS.ids },
      { name: 'session', in: 'cookie', schema: MEMBERS.ids },
    ]),
  },
  cases: {
    'many pairs': ({ pick }) =>
      ask(`/search?${list(`${pick(...NAMES)}=${pick(...VALUES)}`, HEAD_ROOM, '&')}`),
    'many values': ({ pick }) =>
      ask(`/search?piped=${list(pick(...VALUES), HEAD_ROOM, pick('|', '%7C', ','))}`),
    'long encodings': ({ pick }) =>
      ask(`/search?a=${fill(pick('%41', '+', '%C3%A9', '&', '=', '%', '?'), HEAD_ROOM)}`),
    cookies: ({ pick }) =>
      ask('/search', [`Cookie: ${list(pick('session=1', '#=1', '=1'), HEAD_ROOM, pick('; ', ';', ';   '))}`]),
    'a field of spaces': ({ pick }) =>
      ask('/search', [
        `${pick('Cookie: a', 'X-Ids: 1')}${fill(pick(' ', '; ', ';', '=', '"', ', '), HEAD_ROOM)}1`,
      ]),
    'one field, many times': ({ pick }) => {
      const name = pick('X-Ids', 'Accept', 'a', 'Cookie', 'X-Request-Id', 'X-Forwarded-Prefix');
      return ask('/search', list(`${name}: 1`, HEAD_ROOM, '\r\n').split('\r\n'));
    },
    'a media type without end': ({ pick }) =>
      toPlants('{}', [JSON_TYPE + fill(pick(';a=b', ';', ' ', '; charset="', '\\', '/'), HEAD_ROOM)]),
  },
};

/** As many as the service lets one connection pipeline. */
const REQUESTS = 16;

/** Many connections that each pipeline the same request. Those that wait for more than a second get 503. */
const pipeline = ({ pick, between }: Choices, request: Buffer, status: number): StallCase => ({
  to: 'default',
  bytes: Buffer.alloc(request.length * REQUESTS, request),
  expects: [status, 503],
  pipelined: { connections: between(500, 1000), requests: REQUESTS, isKept: pick(true, false) },
});

const PLANT = '{"id":1,"name":"a"}';
const get = (target: string, ...fields: readonly string[]) =>
  writeRequest(`GET ${target} HTTP/1.1`, [HOST, ...fields]);
const post = (...fields: readonly string[]) =>
  writeRequest('POST /plants HTTP/1.1', [HOST, ...fields, JSON_TYPE, lengthOf(PLANT)], PLANT);

/** Requests that are cheap alone, from hundreds of connections that pipeline them. */
const PIPELINES: StallClass = {
  title: 'crowds that pipeline',
  cases: {
    'small requests': (choices) => pipeline(choices, get('/x'), 404),
    probes: (choices) => pipeline(choices, get('/healthz'), 200),
    'creates without a token': (choices) => pipeline(choices, post(), 401),
    creates: (choices) => pipeline(choices, post(AUTHORIZATION), 200),
    'many header fields': (choices) => {
      const fields = Array.from({ length: choices.between(20, 60) }, (_, nth) => `a${nth}: 1`);
      return pipeline(choices, get('/x', ...fields), 404);
    },
  },
};

const sixteen = (request: Buffer): string => `${request}`.repeat(REQUESTS);
const pour = (request: Buffer, connections: number): Crowd => ({
  connections,
  first: '',
  more: sixteen(request),
  reads: false,
});
const NEVER_READ = [get('/openapi.json'), post(), post(AUTHORIZATION)].map((request) => pour(request, 67));
const ENDLESS: Crowd = {
  connections: 200,
  first: `${writeRequest('POST /plants HTTP/1.1', [HOST, JSON_TYPE, CHUNKED])}`,
  more: `10000\r\n${'a'.repeat(65_536)}\r\n`,
  reads: true,
};
/** A header or a body that comes byte by byte. */
const SLOW = [
  'GET /healthz HTTP/1.1\r\nX: ',
  `${writeRequest('POST /plants HTTP/1.1', [HOST, AUTHORIZATION, JSON_TYPE, 'Content-Length: 100000'])}`,
].map((first): Crowd => ({ connections: 250, first, more: '1', every: 1000, reads: true }));
/** More than socket buffers hold. */
const NEVER_READ_A_MEGABYTE: Crowd = { connections: 800, first: sixteen(get('/openapi.json')), reads: false };

const NOTHING = Buffer.alloc(0);
const crowds =
  (...all: readonly Crowd[]) =>
  (): StallCase => ({ to: 'default', bytes: NOTHING, crowds: all });

/** Connections that stay and do harm as long as they can. */
const CROWDS: StallClass = {
  title: 'hostile crowds',
  cases: {
    '200 that never read': crowds(...NEVER_READ),
    '200 endless bodies': crowds(ENDLESS),
    '500 slow ones': crowds(...SLOW),
    'all of these': crowds(...NEVER_READ, ENDLESS, ...SLOW),
    '800 that ask for 1 MB and never read': () => ({ ...crowds(NEVER_READ_A_MEGABYTE)(), to: 'hard' }),
  },
};

/** Requests at the limit that are hard to read before a schema judges them, and crowds. */
export const HTTP_CLASSES: readonly StallClass[] = [FORMS, HEADS, PIPELINES, CROWDS];
