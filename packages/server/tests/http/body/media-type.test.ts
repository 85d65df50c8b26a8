import { exchange, head, parseReplies } from '../../../../../tests/support/raw-http.ts';
import { post, read, type Service, startService, TOKEN } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const THING = '{"id":1,"name":"Lamp"}';
const REFUSED = { status: 415, body: { error: 41501, message: expect.stringContaining('application/json') } };

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON; charset="UTF-8"',
  'application/json;charset=UTF-8',
  'application/json; profile="https://example.com/thing"',
  'application/json; q=1; charset=utf-8',
])('a body of type %s is served', async (type) => {
  expect(await read(post(service, THING, { 'content-type': type }))).toEqual({
    status: 200,
    body: { name: 'Lamp' },
  });
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'application/jsonp',
  'application/vnd.api+json',
  'application/json;charset=latin1',
  'application/json; charset=utf-16',
  'application/json, text/plain',
  'json',
  '/',
])('a body of type %s answers 415', async (type) => {
  expect(await read(post(service, THING, { 'content-type': type }))).toEqual(REFUSED);
});

test.each([[[]], [['Content-Type:']]])('a body without a type answers 415 (%j)', async (fields) => {
  const request = head(
    'POST /things',
    `Authorization: Bearer ${TOKEN}`,
    `Content-Length: ${THING.length}`,
    'Connection: close',
    ...fields,
  );
  expect(parseReplies(await exchange(service.port, request + THING))).toMatchObject([REFUSED]);
});

test.each([
  ['spaces and tabs', `application/json;x=y${' \t'.repeat(7000)}z`, 200],
  ['spaces before more', `application/json${' '.repeat(14_000)}x`, 415],
  ['characters', `application/json; x=${'y'.repeat(14_000)}`, 200],
])(
  'a type with thousands of %s is parsed like a short one, without blocking',
  async (_what, type, status) => {
    const before = process.cpuUsage();
    expect((await post(service, THING, { 'content-type': type })).status).toBe(status);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(400);
  },
);
