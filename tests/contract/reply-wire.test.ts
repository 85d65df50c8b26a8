import { head } from '../support/raw-http.ts';
import { thingsServer } from './served-things.ts';

const serve = thingsServer();

/** The lines of the head of a reply, over real HTTP, to a method whose handler answers so. */
const linesOf = async (method: string, reply: { status: number; headers?: object }): Promise<string[]> => {
  const responses = { [reply.status]: { description: '' } };
  const asked = head(`${method} /things`, 'Connection: close');
  const answer = await serve(method.toLowerCase(), { responses }, () => reply, asked);
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
