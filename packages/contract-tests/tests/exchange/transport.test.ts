import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createTransport, type TransportOptions } from '../../src/exchange/transport.ts';
import { reply, right, startRaw } from './raw-service.ts';

type Does = Parameters<typeof startRaw>[0];

/** Sends `count` requests in sequence and returns their outcomes. */
const sendTo = async (
  does: Does,
  { times = 1, method = 'GET', ...options }: TransportOptions & { times?: number; method?: string } = {},
) => {
  const service = await startRaw(does);
  const transport = createTransport(service.url, { timeoutMs: 20_000, ...options });
  const outcomes: { status?: number; body?: string; fault?: string; late?: string; error?: string }[] = [];
  for (let time = 0; time < times; time += 1)
    outcomes.push(
      await transport
        .send({ method, target: '/', headers: [], body: undefined })
        .then(({ headers, body, ...answer }) => ({ ...answer, body: body.toString('utf8') }))
        .catch((error: unknown) => ({ error: String(error) })),
    );
  transport.close();
  await service.close();
  return { outcomes, heads: service.heads };
};

test('a reply that is cut off in the middle is a fault, and the request is not sent again', async () => {
  const { outcomes, heads } = await sendTo(
    (socket, nth) =>
      nth === 1 ? socket.write(right('one')) : socket.end(reply(201, 'tw', 'Content-Length: 3')),
    { times: 2, method: 'POST' },
  );
  expect(outcomes[1]).toEqual({
    status: 201,
    body: 'tw',
    fault: 'the reply was cut off after 2 of 3 bytes of its body',
  });
  expect(heads.length).toBe(2);
});

test('a request is not sent again once a byte of its reply has come', async () => {
  const { outcomes, heads } = await sendTo(
    (socket, nth) => (nth === 1 ? socket.write(right('one')) : socket.end('HTTP/1.1 20')),
    { times: 2, method: 'POST' },
  );
  expect(outcomes[1]).toEqual({ error: 'NoAnswer: ECONNRESET' });
  expect(heads.length).toBe(2);
});

test('a request that meets a closed idle connection is sent again, once', async () => {
  const { outcomes, heads } = await sendTo(
    (socket, nth) => (nth === 2 ? socket.destroy() : socket.write(right(`${nth}`))),
    { times: 2 },
  );
  expect(outcomes.map(({ body }) => body)).toEqual(['1', '3']);
  expect(heads.length).toBe(3);
});

test('a service that closes every connection after the first reply gets each request twice at most', async () => {
  const { outcomes, heads } = await sendTo(
    (socket, nth) => (nth === 1 ? socket.write(right('1')) : socket.destroy()),
    { times: 2 },
  );
  expect(outcomes[1]).toEqual({ error: 'NoAnswer: ECONNRESET' });
  expect(heads.length).toBe(3);
});

const drip = (socket: Socket): void => {
  socket.write(reply(200, '', 'Transfer-Encoding: chunked'));
  const timer = setInterval(() => socket.write('1\r\na\r\n'), 20);
  socket.on('close', () => clearInterval(timer));
};

test.each<[what: string, does: (socket: Socket) => void, told: RegExp]>([
  ['never comes', () => {}, /^NoAnswer: none within 0\.3 s$/],
  [
    'never ends',
    drip,
    /^NoAnswer: none within 0\.3 s; the reply was still coming after \d+ bytes of its body$/,
  ],
  [
    'is shorter than it says',
    (socket) => socket.write(reply(200, 'hello', 'Content-Length: 9')),
    /^NoAnswer: none within 0\.3 s; the reply stalled after 5 of 9 bytes of its body$/,
  ],
  [
    'stalls in its head',
    (socket) => socket.write('HTTP/1.1 200 OK\r\nX-A:'),
    /^NoAnswer: none within 0\.3 s; the reply stalled in its head$/,
  ],
  ['is no HTTP', (socket) => socket.write('hello\r\n\r\n'), /^NoAnswer: the reply is not HTTP \(Parse Error/],
])('a reply that %s is no answer', async (_what, does, told) => {
  const { outcomes, heads } = await sendTo(does, { timeoutMs: 300 });
  expect(outcomes[0]?.error).toMatch(told);
  expect(heads.length).toBe(1);
});

const LONGER = 'bytes follow the end of the reply: it is longer than it says';

test.each<[what: string, bytes: string, fault: string]>([
  ['is longer than it says', reply(200, 'hello', 'Content-Length: 2'), LONGER],
  ['has a body and is a 204', reply(204, 'hello'), 'a body, where 204 has none'],
  ['has a body and is a 304', reply(304, 'hello', 'Content-Length: 5'), 'a body, where 304 has none'],
  [
    'has chunks of no length',
    reply(200, 'five\r\nhello', 'Transfer-Encoding: chunked'),
    'the reply is not HTTP (Parse Error: Invalid character in chunk size)',
  ],
  [
    'is not compressed as it says',
    right('hello', 'Content-Encoding: gzip'),
    'the body is not gzip, as Content-Encoding says',
  ],
])('a reply that %s is an answer with a fault', async (_what, bytes, fault) => {
  const { outcomes } = await sendTo((socket) => socket.write(bytes), { times: 2 });
  expect(outcomes.map((outcome) => outcome.fault)).toEqual([fault, fault]);
});

test('what arrives after a reply is not taken for the next one', async () => {
  const late: (() => void)[] = [];
  const service = await startRaw((socket, nth) => {
    socket.write(right(`${nth}`));
    if (nth === 1) late.push(() => void socket.write(right('unsolicited')));
  });
  const transport = createTransport(service.url);
  const send = () => transport.send({ method: 'GET', target: '/', headers: [], body: undefined });
  await send();
  late[0]?.();
  while (service.connections() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect((await send()).body.toString()).toBe('2');
  transport.close();
  await service.close();
});

test.each<[when: string, send: (socket: Socket, head: string) => void]>([
  ['at once', (socket, head) => socket.end(`${head}hello`)],
  [
    'later',
    (socket, head) => {
      socket.write(reply(103, '') + head);
      setImmediate(() => socket.end('hello'));
    },
  ],
])('bytes that follow the head of a reply to HEAD %s are a fault', async (_, send) => {
  const head = reply(200, '', 'Content-Length: 5', 'Allow: GET', 'Allow: PUT');
  const { outcomes } = await sendTo((socket) => send(socket, head), { method: 'HEAD' });
  expect(outcomes).toEqual([{ status: 200, body: '', fault: 'a body, where the answer to a HEAD has none' }]);
});

test('a reply to HEAD is an answer, though its connection stays open', async () => {
  const { outcomes } = await sendTo((socket) => socket.write(reply(200, '', 'Content-Length: 5')), {
    method: 'HEAD',
    timeoutMs: 5000,
  });
  expect(outcomes).toEqual([{ status: 200, body: '' }]);
});

test('a stream of events is an answer, though it has no end', async () => {
  const { outcomes } = await sendTo((socket) =>
    socket.write(
      reply(200, '8\r\ndata:1\n\n\r\n', 'Content-Type: text/event-stream', 'Transfer-Encoding: chunked'),
    ),
  );
  expect(outcomes).toEqual([{ status: 200, body: 'data:1\n\n', stream: { items: 1, isOpen: true } }]);
});

test('a stream that stops in the middle of an item has stalled, and one between two items is only silent', async () => {
  const { outcomes } = await sendTo(
    (socket, nth) =>
      socket.write(
        reply(
          200,
          nth === 1 ? '4\r\n1\n2\n\r\n' : '3\r\n1\n2\r\n',
          'Content-Type: application/jsonl',
          'Transfer-Encoding: chunked',
        ),
      ),
    { timeoutMs: 500, times: 2 },
  );
  expect(outcomes).toEqual([
    { status: 200, body: '1\n2\n', stream: { items: 2, isOpen: true } },
    { error: 'NoAnswer: none within 0.5 s; the reply stalled after 3 bytes of its body' },
  ]);
});

test('a compressed reply is read, whether or not it was asked for', async () => {
  const body = gzipSync('hello');
  const { outcomes } = await sendTo((socket) => {
    socket.write(reply(200, '', `Content-Length: ${body.length}`, 'Content-Encoding: gzip'));
    socket.write(body);
  });
  expect(outcomes).toEqual([{ status: 200, body: 'hello' }]);
});

test('a late reply is marked as late', async () => {
  const { outcomes } = await sendTo((socket) => setTimeout(() => socket.write(right('hello')), 60), {
    maxResponseTimeMs: 50,
  });
  expect(outcomes[0]?.late).toMatch(/^the reply took \d+ ms, more than 50 ms$/);
});

test('a request names the host that it was given, and no other', async () => {
  const service = await startRaw((socket) => socket.write(right('hello')));
  const transport = createTransport(service.url);
  const headers = [['host', 'things.example']] as const;
  await transport.send({ method: 'GET', target: '/', headers, body: undefined });
  transport.close();
  await service.close();
  expect(service.heads[0]?.match(/^host:.*$/gim)).toEqual(['host: things.example']);
});

test('no more requests are sent in a second than the limit allows', async () => {
  const started = performance.now();
  await sendTo((socket) => socket.write(right('hello')), { times: 6, requestsPerSecond: 50 });
  expect(performance.now() - started).toBeGreaterThanOrEqual(99);
});

test('a service that serves one connection at a time comes to every request', async () => {
  const waiting: (() => void)[] = [];
  let serving: Socket | undefined;
  const service = await startRaw((socket, nth) => {
    const serve = (): void => {
      serving = socket;
      socket.write(right(`${nth}`));
      socket.once('close', () => {
        serving = undefined;
        waiting.shift()?.();
      });
    };
    if (serving === undefined || serving === socket) serve();
    else waiting.push(serve);
  });
  const transport = createTransport(service.url, { timeoutMs: 20_000 });
  const send = () => transport.send({ method: 'GET', target: '/', headers: [], body: undefined });
  const answers = await Promise.all([send(), send(), send()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  transport.close();
  await service.close();
});
