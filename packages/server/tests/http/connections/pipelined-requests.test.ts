import { once } from 'node:events';
import {
  head,
  openSocket,
  parseReplies,
  postHead,
  postRequest,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { type Service, startService } from '../../support/service.ts';
import { holdThings } from '../../support/things.ts';

let service: Service;
let held: ReturnType<typeof holdThings>;
beforeEach(async () => {
  held = holdThings();
  service = await startService({ things: held.things, timeouts: { headers: 500, request: 1000 } });
});
afterEach(() => service.close());

const THING = '{"id":1,"name":"Lamp"}';

/** Sends a good request and `following` at once; releases the store once the server has met `following`. */
const answersTo = async (following: string, met: 'clientError' | 'connect' | 'request') => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(postRequest(THING));
  await held.reached;
  const isMet = once(service.server, met);
  socket.write(following);
  await isMet;
  await fetch(`${service.url}/healthz`); // by now, an answer that does not wait would have been sent
  expect(socket.bytesRead).toBe(0);
  held.release();
  return parseReplies(await answer);
};

const STORED = { status: 200, body: { name: 'Lamp' } };

test('a good request is answered before the garbage that follows it', async () => {
  expect(await answersTo('garbage\r\n\r\n', 'clientError')).toMatchObject([
    STORED,
    { status: 400, body: { error: 40003 } },
  ]);
});

test('garbage is answered too where the client has closed its side, after the good request before it', async () => {
  const socket = await openSocket(service.port, { allowHalfOpen: true });
  const answer = readToEnd(socket);
  socket.end(`${postRequest(THING)}garbage\r\n\r\n`);
  await held.reached;
  await fetch(`${service.url}/healthz`); // by now, the service knows that nothing more will come
  held.release();
  expect(parseReplies(await answer)).toMatchObject([STORED, { status: 400, body: { error: 40003 } }]);
});

test('a good request is answered before the one with a broken body that follows it', async () => {
  const broken = `${postHead('Transfer-Encoding: chunked')}zz\r\n`;
  expect(await answersTo(broken, 'clientError')).toMatchObject([
    STORED,
    { status: 400, body: { error: 40003 } },
  ]);
});

test('a good request is answered before the one that follows it too slowly', async () => {
  expect(await answersTo('POST /things HT', 'clientError')).toMatchObject([
    STORED,
    { status: 408, body: { error: 40801 } },
  ]);
});

test('a good request is answered before the CONNECT that follows it', async () => {
  const connect = 'CONNECT test:80 HTTP/1.1\r\nHost: test:80\r\n\r\n';
  expect(await answersTo(connect, 'connect')).toMatchObject([
    STORED,
    { status: 400, body: { error: 40003 } },
  ]);
});

test('two good requests are answered in their order, however long the first takes', async () => {
  expect(await answersTo(head('GET /healthz', 'Connection: close'), 'request')).toMatchObject([
    STORED,
    { status: 200, body: { status: 'ok' } },
  ]);
});

test('a request is not served before the one ahead of it on its connection is answered', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  const created: bigint[] = [];
  const { create } = held.things;
  held.things.create = (thing) => {
    created.push(thing.id);
    return create(thing);
  };
  socket.end(postRequest(THING) + postRequest('{"id":2,"name":"Sofa"}'));
  await held.reached;
  await fetch(`${service.url}/healthz`); // by now, a request that does not wait would have been served
  expect(created).toEqual([1n]);
  held.release();
  expect(parseReplies(await answer)).toMatchObject([STORED, { status: 200, body: { name: 'Sofa' } }]);
  expect(created).toEqual([1n, 2n]);
});

test('a request that waits for the one ahead of it gets one answer where its body is broken', async () => {
  const refused = `${head('POST /things', 'Transfer-Encoding: chunked')}2\r\n{}\r\n`;
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(postRequest(THING));
  await held.reached;
  const isRefused = once(service.server, 'request');
  socket.write(refused);
  await isRefused;
  await fetch(`${service.url}/healthz`);
  const isBroken = once(service.server, 'clientError');
  socket.write('zz\r\n');
  await isBroken;
  held.release();
  expect(parseReplies(await answer)).toMatchObject([STORED, { status: 400, body: { error: 40003 } }]);
});

test('garbage after an answer that closes the connection gets no answer', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(`${head('GET /healthz', 'Connection: close')}garbage\r\n\r\n`);
  const replies = parseReplies(await answer);
  expect(replies).toMatchObject([{ status: 200 }]);

  const ancient = await openSocket(service.port); // HTTP/0.9 knows no version, and no second request
  const answerToAncient = readToEnd(ancient);
  ancient.write('GET /healthz\r\n\r\ngarbage\r\n\r\n');
  expect(parseReplies(await answerToAncient)).toHaveLength(1);
});
