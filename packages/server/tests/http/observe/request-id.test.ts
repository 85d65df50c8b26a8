import { exchange, head, openSocket, postHead, postRequest, readToEnd } from '@trellis/test-support/raw-http';
import { type Service, startService } from '../../support/service.ts';
import { createThings, type Things } from '../../support/things.ts';

const CLOSE = 'Connection: close';
const CHUNKED = 'Transfer-Encoding: chunked';

/** A store in which the id 4 is taken, and 5 finds a bug. */
const things: Things = {
  ...createThings(),
  async create({ id }) {
    if (id === 5n) throw new Error('a bug');
    return id === 4n ? 'conflict' : 'created';
  },
  check: async () => 'full',
};

let service: Service;
beforeAll(async () => {
  service = await startService({ things });
});
afterAll(() => service.close());

const thing = (id: number) => `{"id":${id},"name":"Lamp"}`;

const statusOf = (answer: string) => Number(answer.slice(9, 12));
const idsOf = (answer: string) => answer.match(/(?<=^X-Request-Id: ).*(?=\r$)/gm);

/** One kind of reply each: its name, its status, and the bytes of its request. */
const KINDS: readonly [name: string, status: number, bytes: string][] = [
  ['a create', 200, postRequest(thing(1), CLOSE)],
  ['malformed JSON', 400, postRequest('{', CLOSE)],
  ['no credentials', 401, head('POST /things', CLOSE)],
  ['no such path', 404, head('GET /nothing', CLOSE)],
  ['a target without a path', 302, head('GET http://anywhere.example', CLOSE)],
  ['the API reference', 200, head('GET /docs', CLOSE)],
  ['the contract', 200, head('GET /openapi.json', CLOSE)],
  ['OPTIONS *', 204, head('OPTIONS *', CLOSE)],
  ['no such method in the contract', 405, head('GET /things', CLOSE)],
  ['no such method beside it', 405, head('PUT /healthz', CLOSE)],
  ['an id that is taken', 409, postRequest(thing(4), CLOSE)],
  ['a body too large', 413, postRequest(`"${'a'.repeat(200_000)}"`, CLOSE)],
  [
    'a media type',
    415,
    head('POST /things', 'Authorization: Bearer a-token-for-tests', 'Content-Length: 2', CLOSE),
  ],
  ['a bug', 500, postRequest(thing(5), CLOSE)],
  ['alive', 200, head('GET /healthz', CLOSE)],
  ['not ready', 503, head('GET /readyz', CLOSE)],
  ['figures', 200, head('GET /metrics', CLOSE)],
  ['HEAD', 200, head('HEAD /healthz', CLOSE)],
  ['no Host', 400, `GET /healthz HTTP/1.1\r\n${CLOSE}\r\n\r\n`],
  ['garbage', 400, 'garbage\r\n\r\n'],
  ['CONNECT', 400, 'CONNECT test:80 HTTP/1.1\r\nHost: test:80\r\n\r\n'],
  ['a broken body', 400, `${postHead(CHUNKED)}zz\r\n`],
  ['headers too large', 431, head('GET /healthz', `X: ${'a'.repeat(65_536)}`)],
];

test.each(KINDS)('the reply to %s (%i) carries an id', async (_name, status, bytes) => {
  const answer = await exchange(service.port, bytes);
  expect(statusOf(answer)).toBe(status);
  expect(idsOf(answer)).toEqual([expect.stringMatching(/^[0-9a-z]+-[0-9a-z]+$/)]);
});

test('no two requests have the same id, whichever service they were sent to', async () => {
  const other = await startService();
  const ask = head('GET /healthz').repeat(9) + head('GET /healthz', CLOSE);
  const answers = await Promise.all([service, other].map(({ port }) => exchange(port, ask)));
  const ids = answers.flatMap((answer) => idsOf(answer) ?? []);
  expect(new Set(ids).size).toBe(20);
  await other.close();
});

test.each(['a', '0b51-4f/~=+:._A', 'x'.repeat(128)])('an id that was sent is kept: %s', async (id) => {
  const field = `X-Request-Id: ${id}`;
  const sent = [
    postRequest(thing(1), field, CLOSE),
    postRequest(thing(5), field, CLOSE),
    head('GET /nothing', field, CLOSE),
    `${postHead(CHUNKED, field)}zz\r\n`,
  ];
  const answers = await Promise.all(sent.map((bytes) => exchange(service.port, bytes)));
  expect(answers.map(statusOf)).toEqual([200, 500, 404, 400]);
  expect(answers.map(idsOf)).toEqual(sent.map(() => [id]));
});

test.each([
  ['too long', 'x'.repeat(129)],
  ['empty', ''],
  ['of two words', 'a b'],
  ['with a quote', 'a"b'],
  ['with a comma', 'a,b'],
  ['beyond ASCII', 'é'],
  ['sent twice', 'a\r\nX-Request-Id: b'],
])('an id that is %s is replaced', async (_name, id) => {
  const answer = await exchange(service.port, head('GET /healthz', `X-Request-Id: ${id}`, CLOSE));
  expect(idsOf(answer)).toEqual([expect.stringMatching(/^[0-9a-z]+-[0-9a-z]+$/)]);
});

test('requests that were sent at once have an id each, in their order', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  const sent = ['a', 'b', 'c', 'd'];
  socket.write(sent.map((id) => head('GET /healthz', `X-Request-Id: ${id}`)).join(''));
  socket.write('garbage\r\n\r\n');
  expect(idsOf(await answer)).toEqual([...sent, expect.stringMatching(/-/)]);
});
