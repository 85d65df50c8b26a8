import { loadDocument } from '@trellis/openapi';
import { exchange, head } from '@trellis/test-support/raw-http';
import { serveDocument } from '../support/serve.ts';
import { post as postThing, read, startService } from '../support/service.ts';

/** What one request may take of a processor, in milliseconds. */
const MOST = 1000;
/** How much a body and a head may hold by default, with some room for the rest of the request. */
const BODY = 102_000;
const HEAD = 16_000;

const int64 = { type: 'integer', format: 'int64' };
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** Schemas that are hard to judge. What else there is of bodies in JSON is in bounded-work.long.test.ts. */
const SCHEMAS = {
  Maps: { type: 'object', additionalProperties: ref('Maps') },
  Chains: {
    oneOf: [
      ...['a', 'b', 'c'].map((kind) => ({
        type: 'object',
        required: ['kind'],
        properties: {
          next: ref('Chains'),
          count: { ...int64, minimum: -9, default: 1 },
          kind: { const: kind },
        },
      })),
      ...[{ type: 'null' }, int64],
    ],
  },
  Sets: { type: ['array', 'integer', 'object', 'string'], uniqueItems: true, items: ref('Sets') },
  Strict: {
    type: 'object',
    required: ['a', 'b', 'c'],
    properties: { a: int64, b: { enum: Array.from({ length: 300 }, (_, nth) => `${nth}`) } },
    patternProperties: { '^x': { type: 'string', minLength: 2, pattern: '^[a-z]+$' } },
    propertyNames: { maxLength: 8, pattern: '^[a-z0-9]*$' },
    dependentRequired: { a: ['d', 'e'] },
    unevaluatedProperties: { ...int64, multipleOf: 3 },
  },
  Words: {
    type: 'array',
    items: { type: 'string', pattern: '^(?:[a-z]+,)*[a-z]+$', minLength: 2, maxLength: 50_000 },
  },
};
const MEMBERS = {
  ids: { type: 'array', items: int64 },
  union: {
    anyOf: Array.from({ length: 20 }, (_, nth) => ({
      type: 'array',
      items: nth % 2 === 0 ? { type: 'integer', maximum: nth } : { type: 'string', maxLength: nth },
    })),
  },
  deep: { type: 'object', additionalProperties: int64 },
  other: {},
};
const PARAMETERS = [
  { name: 'ids', in: 'query', schema: MEMBERS.ids },
  { name: 'union', in: 'query', schema: MEMBERS.union },
  { name: 'deep', in: 'query', schema: MEMBERS.deep, style: 'deepObject' },
  { name: 'piped', in: 'query', schema: MEMBERS.ids, style: 'pipeDelimited', explode: false },
  { name: 'X-Ids', in: 'header', schema: MEMBERS.ids },
  { name: 'session', in: 'cookie', schema: MEMBERS.ids },
];

const responses = { '204': { description: 'Taken' } };
const takes = (operationId: string, type: string, schema: object): object => ({
  post: { operationId, requestBody: { required: true, content: { [type]: { schema } } }, responses },
});
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Hard to serve', version: '1' },
  paths: {
    ...Object.fromEntries(
      Object.keys(SCHEMAS).map((name) => [`/${name}`, takes(name, 'application/json', ref(name))]),
    ),
    '/parts': takes('parts', 'multipart/form-data', { type: 'object', properties: MEMBERS }),
    '/search': { get: { operationId: 'search', parameters: PARAMETERS, responses } },
  },
  components: { schemas: SCHEMAS },
};

let service: Awaited<ReturnType<typeof serveDocument>>;
beforeAll(async () => {
  const document = await loadDocument('a document', async () => JSON.stringify(DOCUMENT));
  const operations = ['parts', 'search', ...Object.keys(SCHEMAS)];
  const handlers = Object.fromEntries(operations.map((each) => [each, async () => ({ status: 204 })]));
  service = await serveDocument({ document, handlers });
  for (const [, request] of CASES) await exchange(service.port, request); // compiles the schemas
}, 120_000);
afterAll(() => service.close());

const fill = (unit: string, room: number): string => unit.repeat(Math.floor(room / unit.length));
/** As many items as fit into `room` characters. `#` in an item is replaced by its number. */
const list = (item: string, room: number, between: string): string =>
  Array.from({ length: Math.floor(room / (item.length + between.length + 4)) }, (_, nth) =>
    item.replaceAll('#', `${10_000 + nth}`),
  ).join(between);
const nest = (open: string, close: string, depth: number, inner: string): string =>
  open.repeat(depth) + inner + close.repeat(depth);

const post = (path: string, body: string, type = 'application/json'): string =>
  head(`POST ${path}`, `Content-Type: ${type}`, `Content-Length: ${body.length}`, 'Connection: close') + body;
const search = (query: string, ...fields: string[]): string =>
  head(`GET /search${query}`, 'Connection: close', ...fields);

const part = (name: string, value: string, more = ''): string =>
  `--part\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const parts = (all: string, boundary = 'part'): string =>
  post('/parts', `${all}--part--\r\n`, `multipart/form-data; boundary=${boundary}`);

const NAMES = ['ids', 'union', 'deep[#]', 'n#', 'deep[[['];
const VALUES = ['1', 'a', '', '%41', '1e1', '9007199254740993', '%00', '%'];

type Case = readonly [what: string, request: string];

const CASES: readonly Case[] = [
  ...NAMES.flatMap((name) =>
    ['1', 'a', '9007199254740993'].map<Case>((value) => [
      `many parts ${name}=${value}`,
      parts(list(part(name, value), BODY, '')),
    ]),
  ),
  ...['--par', '\r\n--', '--', '\r\n--par', '-', '\r\n'].map<Case>((unit) => [
    `nearly a boundary, ${JSON.stringify(unit)}`,
    parts(part('other', fill(unit, 100_000))),
  ]),
  ...[';', 'a', '"', '\\', '; a=b', ' '].map<Case>((unit) => [
    `a long header of a part, ${unit}`,
    parts(part('other', '1', `; ${fill(unit, 100_000)}`)),
  ]),
  ...[70, 1000, 10_000].map<Case>((length) => [
    `a boundary of ${length}`,
    parts('-'.repeat(BODY), '-'.repeat(length)),
  ]),
  ...[...NAMES, 'piped'].flatMap((name) =>
    VALUES.map<Case>((value) => [`many ${name}=${value}`, search(`?${list(`${name}=${value}`, HEAD, '&')}`)]),
  ),
  ...VALUES.flatMap((value) =>
    ['|', '%7C', ','].map<Case>((mark) => [
      `many ${value}${mark}`,
      search(`?piped=${list(value, HEAD, mark)}`),
    ]),
  ),
  ...['%41', '+', '%C3%A9', '&', '=', '%', '?'].map<Case>((unit) => [
    `a long query of ${unit}`,
    search(`?a=${fill(unit, HEAD - 100)}`),
  ]),
  ...['session=1', '#=1', '=1'].flatMap((cookie) =>
    ['; ', ';', ';   '].map<Case>((mark) => [
      `many cookies ${cookie}${mark}`,
      search('', `Cookie: ${list(cookie, HEAD, mark)}`),
    ]),
  ),
  ...[' ', '; ', ';', '=', '"', ', '].flatMap((unit) =>
    ['Cookie: a', 'X-Ids: 1'].map<Case>((start) => [
      `${start} and many ${unit}`,
      search('', `${start}${fill(unit, HEAD - 100)}1`),
    ]),
  ),
  ...['X-Ids', 'Accept', 'Cookie', 'X-Request-Id', 'X-Forwarded-For'].map<Case>((name) => [
    `many fields ${name}`,
    search('', ...list(`${name}: 1`, Math.min(HEAD, 900 * (name.length + 9)), '\n').split('\n')),
  ]),
  ...[';a=b', ';', ' ', '; charset="', '\\', '/'].map<Case>((unit) => [
    `a media type and many ${unit}`,
    post('/Maps', '{}', `application/json${fill(unit, HEAD - 200)}`),
  ]),
  ['maps, wide', post('/Maps', `{${list('"#":{}', BODY, ',')}}`)],
  ['maps of values that are not maps', post('/Maps', `{${list('"#":1', BODY, ',')}}`)],
  ['maps, deep', post('/Maps', nest('{"a":', '}', 10_000, '{}'))],
  ...[24, 500, 2000].map<Case>((depth) => [
    `unions, ${depth} deep, whose kind comes last`,
    post('/Chains', nest('{"next":', ',"count":1,"kind":"c"}', depth, '{"kind":"d"}')),
  ]),
  ...['[', '[1,'].flatMap((open) =>
    [100, 2000, 10_000].map<Case>((depth) => [
      `sets ${open}, ${depth} deep`,
      post('/Sets', nest(open, ']', depth, `[${list('"#"', 40_000, ',')}]`)),
    ]),
  ),
  ['a set of deep lists', post('/Sets', `[${list(nest('[', ']', 50, '#'), BODY - 2000, ',')}]`)],
  ...['"x#":1', '"#":1', '"#a":3', `"${'n'.repeat(2000)}#":1`].map<Case>((item) => [
    `thousands of violations, ${item.slice(-9)}`,
    post('/Strict', `{${list(item, BODY, ',')}}`),
  ]),
  ...['a', 'a,', 'aa,'].map<Case>((unit) => [
    `words of ${unit}`,
    post('/Words', `[${list(`"${fill(unit, 16_000)}!"`, BODY, ',')}]`),
  ]),
];

test.each(CASES)('%s: answered in time', async (_what, request) => {
  const before = process.cpuUsage();
  const answer = await exchange(service.port, request);
  const { user } = process.cpuUsage(before);
  expect(answer).toMatch(/^HTTP\/1\.1 [24]\d\d /);
  expect(user / 1000).toBeLessThan(MOST);
});

test('all requests are within the limits of the service', () => {
  const sizes = CASES.map(([, request]) => [request.indexOf('\r\n\r\n'), request.length]);
  for (const [top = 0, whole = 0] of sizes) {
    expect(top).toBeLessThan(16_384);
    expect(whole - top - 4).toBeLessThanOrEqual(102_400);
  }
});

test('the service answers other clients while thousands of texts that no store can keep are refused', async () => {
  const service = await startService();
  const texts = Array(8000).fill('"\\u0000"').join();
  const body = `{"id":1,"name":"a","z":${'['.repeat(10_000)}${texts}${']'.repeat(10_000)}}`;
  const before = process.cpuUsage();
  const [refused, health] = await Promise.all([
    read(postThing(service, body)),
    fetch(`${service.url}/healthz`),
  ]);
  await service.close();
  expect([refused.status, health.status]).toEqual([400, 200]);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(MOST);
});
