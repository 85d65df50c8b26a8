import { stub } from '@trellis/contract';
import { exchange, head } from '../../../../tests/support/raw-http.ts';
import { operationServers, type TestHandlers } from '../support/serve.ts';

const serveOperation = operationServers();

/** Serves GET / with these responses. */
const serve = (responses: object, handler: TestHandlers[string]) =>
  serveOperation({ responses }, handler, { checkReplies: true, answerStubs: true });

const XML = '<thing><name>Lamp</name></thing>';
const BOTH = {
  200: {
    description: '',
    content: {
      'application/xml': { example: XML },
      'application/json': { example: { name: 'Lamp' } },
    },
  },
};

test.each<[accept: string, mediaType: string]>([
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/xml', 'application/xml'],
  ['application/json, application/xml', 'application/json'],
  ['application/xml, application/json', 'application/xml'],
  ['application/xml;q=0.2, application/json;q=0.9', 'application/json'],
  ['application/xml;q=0, */*', 'application/json'],
  ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', 'application/xml'],
  ['text/csv', 'application/json'],
  ['nonsense;;q=x,', 'application/json'],
])('to a client that accepts %s a stub sends %s', async (accept, mediaType) => {
  const { url } = await serve(BOTH, stub);
  const reply = await fetch(url, { headers: { accept } });
  expect([reply.headers.get('content-type'), await reply.text()]).toEqual([
    mediaType,
    mediaType.endsWith('xml') ? XML : '{"name":"Lamp"}',
  ]);
});

test.each([
  ['a body', { status: 200, headers: { etag: '"1"' }, body: { name: 'möhre' } }],
  ['no body', { status: 204 }],
  ['a refusal', { status: 404, body: { error: 1, message: 'none' } }],
])('HEAD on a GET that answers %s has the same head and nothing after it', async (_what, reply) => {
  const content = { 'application/json': { schema: {} } };
  const responses = { [reply.status]: { description: '', ...('body' in reply && { content }) } };
  const { port } = await serve(responses, async () => reply);
  const answerTo = (method: string) => exchange(port, head(`${method} /`, 'Connection: close'));
  const [toGet = '', toHead = ''] = await Promise.all(['GET', 'HEAD'].map(answerTo));
  const headOf = (answer: string) =>
    answer.slice(0, answer.indexOf('\r\n\r\n') + 4).replace(/^(?:date|x-request-id): .*\r\n/gim, '');
  expect(toGet).toContain(`HTTP/1.1 ${reply.status}`);
  expect(headOf(toHead)).toBe(headOf(toGet));
  expect(toHead.endsWith('\r\n\r\n')).toBe(true);
  expect(headOf(toGet).includes('Content-Length: ')).toBe('body' in reply);
});

test('every cookie has a separate line, and a header that the handler sets has one', async () => {
  const cookies = ['a=1; Path=/', 'b=2; Expires=Sun, 15 Nov 2026 20:00:00 GMT'];
  const made = { status: 204, headers: { 'set-cookie': cookies, 'x-request-id': 'another' } };
  const { port } = await serve({ 204: { description: '' } }, async () => made);
  const answer = await exchange(port, head('GET /', 'Connection: close', 'X-Request-Id: mine'));
  const lines = answer.split('\r\n');
  expect(lines.filter((line) => /^set-cookie:/i.test(line))).toHaveLength(2);
  expect(lines.filter((line) => /^x-request-id:/i.test(line))).toEqual(['X-Request-Id: mine']);
});

test('requests that reach no operation are refused in the general form of the service', async () => {
  const refused = { description: '', content: { 'application/problem+json': {} } };
  const { port } = await serve({ 204: { description: '' }, 400: refused }, async () => ({
    status: 204,
  }));
  const reply = await exchange(port, 'NONSENSE\r\n\r\n');
  expect(reply).toContain('Content-Type: application/problem+json');
  expect(reply).toContain('"code":40003');
});
