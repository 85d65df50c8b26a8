import { createContract } from '../../src/contract/contract.ts';
import { createApp } from '../../src/http/app.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { exchange, head } from '../support/raw-http.ts';
import { createTestWatch } from '../support/watch.ts';
import { documentFactory } from './things.ts';

const { newDocument } = documentFactory();

/** The lines of the head of a reply, over real HTTP, to a method whose handler answers so. */
const linesOf = async (method: string, reply: { status: number; headers?: object }): Promise<string[]> => {
  const responses = { [reply.status]: { description: '' } };
  const document = await newDocument({
    paths: { '/things': { [method.toLowerCase()]: { operationId: 'readThings', responses } } },
  });
  // The types of handlers are those of this repository's own contract; entries have no type of their own.
  const handlers = Object.fromEntries([['readThings', async () => reply]].map((entry): unknown[] => entry));
  const contract = await createContract({ document, handlers, authenticators: {}, maxBodyBytes: 1000 });
  const watched = createTestWatch();
  const app = createApp({ contract, ...watched, check: async () => undefined });
  const { listen, stop } = createHttpServer(app, watched.watch);
  const { port } = new URL(await listen(0, '127.0.0.1'));
  const answer = await exchange(Number(port), head(`${method} /things`, 'Connection: close'));
  await stop(1000);
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
