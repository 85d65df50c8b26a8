import type { Reply } from '../../../src/contract/reply/reply.ts';
import { head } from '../../support/raw-http.ts';
import { documentFactory } from '../things.ts';

const { answerOf } = documentFactory();

/** The lines of the head of a reply, over real HTTP, to a method whose handler answers so. */
const linesOf = async (method: string, reply: Reply): Promise<string[]> => {
  const responses = { [reply.status]: { description: '' } };
  const asked = head(`${method} /things`, 'Connection: close');
  const answer = await answerOf(method.toLowerCase(), { responses }, () => reply, asked);
  return answer.split('\r\n');
};

test('every cookie has a line of its own', async () => {
  const cookies = ['a=1; Path=/', 'b=2; Expires=Sun, 15 Nov 2026 20:00:00 GMT'];
  const lines = await linesOf('GET', { status: 204, headers: { 'set-cookie': cookies } });
  expect(lines.filter((line) => /^set-cookie:/i.test(line))).toEqual(
    cookies.map((cookie) => `set-cookie: ${cookie}`),
  );
});

test.each([
  ['HEAD', 200],
  ['GET', 304],
])('a %s that answers %i says nothing of a length', async (method, status) => {
  const lines = await linesOf(method, { status });
  expect(lines[0]).toContain(`${status}`);
  expect(lines.filter((line) => /^(?:content-length|transfer-encoding):/i.test(line))).toEqual([]);
});

test.each([
  ['a body', { status: 200, headers: { etag: '"1"' }, body: { name: 'möhre' } }],
  ['no body', { status: 204 }],
  ['a refusal', { status: 404, body: { error: 1, message: 'none' } }],
])('HEAD on a GET that answers %s has the same head and nothing after it', async (_what, reply) => {
  const content = { 'application/json': { schema: {} } };
  const responses = { [reply.status]: { description: '', ...('body' in reply && { content }) } };
  const answerTo = (method: string) =>
    answerOf('get', { responses }, () => reply, head(`${method} /things`, 'Connection: close'));
  const [toGet = '', toHead = ''] = await Promise.all(['GET', 'HEAD'].map(answerTo));
  const headOf = (answer: string) =>
    answer.slice(0, answer.indexOf('\r\n\r\n') + 4).replace(/^(?:date|x-request-id): .*\r\n/gim, '');
  expect(toGet).toContain(`HTTP/1.1 ${reply.status}`);
  expect(headOf(toHead)).toBe(headOf(toGet));
  expect(toHead.endsWith('\r\n\r\n')).toBe(true);
  expect(headOf(toGet).includes('Content-Length: ')).toBe('body' in reply);
});

test('a body that nobody may change is sent as it is', async () => {
  const int64 = { type: 'integer', format: 'int64' };
  const items = {
    type: 'object',
    properties: { ids: { type: 'array', items: int64 }, bytes: { type: 'string' } },
  };
  const content = { 'application/json': { schema: { type: 'array', items } } };
  const ids = Object.freeze([1n, 9007199254740993n]);
  const body = Object.freeze([Object.freeze({ ids, bytes: 'x' })]);
  const responses = { 200: { description: '', content } };
  const answer = await answerOf(
    'get',
    { responses },
    () => ({ status: 200, body }),
    head('GET /things', 'Connection: close'),
  );
  expect(answer).toContain('[{"ids":[1,9007199254740993],"bytes":"x"}]');
});
