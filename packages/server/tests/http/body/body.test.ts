import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import {
  exchange,
  head,
  openSocket,
  parseReplies,
  postHead,
  readToEnd,
} from '../../../../../tests/support/raw-http.ts';
import { post, read, type Service, startService, TOKEN } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const REQUIRED = { status: 400, body: { error: 40002, message: 'body is required' } };

test.each([
  ['of length 0', postHead('Content-Length: 0', 'Connection: close')],
  ['of no length', postHead('Connection: close')],
  ['of no chunks', `${postHead('Transfer-Encoding: chunked', 'Connection: close')}0\r\n\r\n`],
])('a body %s answers 400, for the body is required', async (_name, request) => {
  expect(parseReplies(await exchange(service.port, request))).toMatchObject([REQUIRED]);
});

test('an empty body needs no type to be told that it is required', async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const reply = fetch(`${service.url}/things`, { method: 'POST', headers });
  expect(await read(reply)).toEqual(REQUIRED);
});

test.each([[[]], [['Content-Type:']]])('a body without a type answers 415 (%j)', async (fields) => {
  const common = [`Authorization: Bearer ${TOKEN}`, 'Content-Length: 2', 'Connection: close'];
  const answer = await exchange(service.port, `${head('POST /things', ...common, ...fields)}{}`);
  expect(parseReplies(answer)).toMatchObject([{ status: 415, body: { error: 41501 } }]);
});

test('a body that arrives byte by byte is served', async () => {
  const thing = '{"id":7,"name":"Drip 🌱"}';
  const socket = await openSocket(service.port);
  socket.setNoDelay(true);
  const answer = readToEnd(socket);
  socket.write(postHead(`Content-Length: ${Buffer.byteLength(thing)}`, 'Connection: close'));
  for (const byte of Buffer.from(thing))
    await new Promise((resolve) => socket.write(Uint8Array.of(byte), resolve));
  expect(parseReplies(await answer)).toMatchObject([{ status: 200, body: { name: 'Drip 🌱' } }]);
});

test('a body in chunks, with extensions, is served', async () => {
  const chunks = ['{"id":10,', '"name":"Chunks"}'].map(
    (text) => `${text.length.toString(16)};a=b\r\n${text}\r\n`,
  );
  const request = `${postHead('Transfer-Encoding: chunked', 'Connection: close')}${chunks.join('')}0\r\n\r\n`;
  expect(parseReplies(await exchange(service.port, request))).toMatchObject([
    { status: 200, body: { name: 'Chunks' } },
  ]);
});

test('a client that closes its side once it has asked still gets its answer', async () => {
  const thing = '{"id":9,"name":"Half open"}';
  const socket = await openSocket(service.port, { allowHalfOpen: true });
  const answer = readToEnd(socket);
  socket.end(postHead(`Content-Length: ${thing.length}`) + thing);
  expect(parseReplies(await answer)).toMatchObject([{ status: 200, body: { name: 'Half open' } }]);
});

test('a client that hangs up in the middle of a body stores nothing and is no failure of ours', async () => {
  const thing = '{"id":8,"name":"Gone"}';
  const met = once(service.server, 'request');
  const socket = await openSocket(service.port);
  socket.write(postHead(`Content-Length: ${thing.length + 1}`) + thing);
  const [request]: IncomingMessage[] = await met;
  const closed = new Promise((resolve) => request?.once('close', resolve));
  socket.destroy();
  await closed;

  const other = await read(post(service, '{"id":8,"name":"Still free"}'));
  expect(other).toEqual({ status: 200, body: { name: 'Still free' } });
  expect(service.logged).toEqual([]);
});

test('without a token the answer is 401, though the body is garbage and never completes', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(`${head('POST /things', 'Content-Type: nonsense', 'Content-Length: 999999999')}garbage`);
  await once(socket, 'data');
  socket.destroy();
  expect(parseReplies(await answer)).toMatchObject([{ status: 401, body: { error: 40101 } }]);
});
