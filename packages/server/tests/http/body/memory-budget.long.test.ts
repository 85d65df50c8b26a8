import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Principal } from '@trellis/contract';
import { Problem } from '@trellis/contract';
import type { BearerAuthenticator } from '@trellis/contract/internal';
import {
  exchange,
  head,
  openSocket,
  parseReplies,
  postHead,
  postRequest,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { post, read, type Service, startService } from '../../support/service.ts';
import { createThings, type Things } from '../../support/things.ts';

const BODY = 4000;
/** The least that there can be: room for two bodies, since one may be there as it came and inflated. */
const BUDGET = 2 * BODY;
const OVERLOADED = {
  status: 503,
  body: { error: 50302, message: 'the service is overloaded; try again' },
};

const thingOf = (bytes: number, id = 1): string => {
  const frame = `{"id":${id},"name":""}`;
  return frame.replace('""', `"${'a'.repeat(bytes - frame.length)}"`);
};

/** A store that blocks all writes until it is released, and fails for one id. */
const createStore = () => {
  const waiting: (() => void)[] = [];
  const store = {
    isHeld: false,
    letGo() {
      store.isHeld = false;
      for (const each of waiting.splice(0)) each();
    },
  };
  const things: Things = {
    ...createThings(),
    async create({ id }) {
      if (store.isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
      if (id === 503n) throw new Problem('overloaded', 'try again');
      return id === 409n ? 'conflict' : 'created';
    },
  };
  return { ...store, things, store, waiting };
};

let service: Service;
let held: ReturnType<typeof createStore>;
beforeEach(async () => {
  held = createStore();
  service = await startService({
    things: held.things,
    maxBodyBytes: BODY,
    maxBufferedBytes: BUDGET,
    timeouts: { headers: 500, request: 1000 },
  });
});
afterEach(() => {
  held.store.letGo();
  return service.close();
});

/** Sends two bodies that wait for the store and leave `room` bytes of the budget. */
const fill = async (room: number) => {
  held.store.isHeld = true;
  const replies = [thingOf(BODY, 1), thingOf(BODY - room, 2)].map((thing) => read(post(service, thing)));
  while (held.waiting.length < 2) await fetch(`${service.url}/healthz`);
  return replies;
};

test('bodies wait in memory up to the budget, to the last byte, and beyond it the answer is 503 at once', async () => {
  const waiting = await fill(100);
  expect(await read(post(service, thingOf(101)))).toEqual(OVERLOADED);
  waiting.push(read(post(service, thingOf(100))));
  while (held.waiting.length < 3) await fetch(`${service.url}/healthz`);
  const refused = await post(service, thingOf(20));
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await read(refused)).toEqual(OVERLOADED);

  held.store.letGo();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('a body for which there is no room is refused while it is still being sent', async () => {
  const waiting = await fill(100);
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(postHead(`Content-Length: ${BODY}`) + thingOf(BODY).slice(0, 101));
  await once(socket, 'data');
  socket.destroy();
  expect(parseReplies(await answer)).toMatchObject([OVERLOADED]);
  held.store.letGo();
  await Promise.all(waiting);
});

test('the inflated size of a body counts too', async () => {
  const waiting = await fill(1000);
  const compressed = gzipSync(thingOf(2000));
  expect(compressed.length).toBeLessThan(1000);
  expect(await read(post(service, compressed, { 'content-encoding': 'gzip' }))).toEqual(OVERLOADED);
  held.store.letGo();
  await Promise.all(waiting);
});

/** Lets a client hang up, in its own way, once the service has met its request, and waits until that is noticed. */
const hangUp = async (bytes: string, part: (socket: Socket) => void): Promise<void> => {
  const met = once(service.server, 'request');
  const socket = await openSocket(service.port);
  socket.on('error', () => {}).write(bytes);
  const [request]: IncomingMessage[] = await met;
  const closed = new Promise((resolve) => request?.once('close', resolve));
  part(socket.resume());
  await closed;
};

const PARTIAL = postHead(`Content-Length: ${BODY}`) + thingOf(BODY).slice(0, -1);
const chunked = (...chunks: string[]) =>
  postHead('Transfer-Encoding: chunked', 'Connection: close') + chunks.join('');
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const sendGzip = (body: Uint8Array) => read(post(service, body, { 'content-encoding': 'gzip' }));

/** Each way for a request to end that has had nearly a whole body in memory. */
const ENDS: [name: string, end: () => Promise<unknown>][] = [
  ['was served', () => read(post(service, thingOf(BODY)))],
  ['was served in chunks', () => exchange(service.port, chunked(chunk(thingOf(BODY)), chunk('')))],
  ['was served compressed', () => sendGzip(gzipSync(thingOf(BODY)))],
  ['was a conflict', () => read(post(service, thingOf(BODY, 409)))],
  ['was answered 503', () => read(post(service, thingOf(BODY, 503)))],
  ['was not JSON', () => read(post(service, 'x'.repeat(BODY)))],
  ['did not match the schema', () => read(post(service, `[${'1,'.repeat(BODY / 2 - 2)}1]`))],
  ['was not UTF-8', () => read(post(service, Buffer.alloc(BODY, 0xff)))],
  ['was not gzip', () => sendGzip(Buffer.alloc(BODY))],
  ['inflated beyond the limit', () => sendGzip(gzipSync(thingOf(BODY + 1)))],
  [
    'grew beyond the limit',
    () => exchange(service.port, chunked(chunk(thingOf(BODY)), chunk('a'), chunk(''))),
  ],
  ['broke in its chunks', () => exchange(service.port, chunked(chunk(thingOf(BODY - 1)), 'zz\r\n'))],
  ['came too slowly', () => exchange(service.port, PARTIAL)],
  ['was given up by its client', () => hangUp(PARTIAL, (socket) => socket.destroy())],
  ['was reset by its client', () => hangUp(PARTIAL, (socket) => socket.resetAndDestroy())],
  ['was not finished by its client', () => hangUp(PARTIAL, (socket) => socket.end())],
];

test.each(ENDS)('a request that %s gives its memory back', async (_name, end) => {
  for (let times = 0; times < 3; times += 1) await end();
  const waiting = await fill(0); // to the last byte
  expect(await read(post(service, thingOf(20)))).toEqual(OVERLOADED);
  held.store.letGo();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
});

const SOMEBODY = { name: 'somebody', scopes: [] };

/** Authenticates no request until it is released, and then all with one result. */
const createJudge = () => {
  const waiting: ((principal?: Principal) => void)[] = [];
  const bearerAuth: BearerAuthenticator = {
    type: 'bearer',
    authenticate: () => new Promise((resolve) => waiting.push(resolve)),
  };
  return {
    waiting,
    bearerAuth,
    letGo(verdict?: Principal) {
      for (const each of waiting.splice(0)) each(verdict);
    },
  };
};

describe('while credentials are checked', () => {
  let judge: ReturnType<typeof createJudge>;
  const startJudged = async (limits: { readonly maxBufferedBytes?: number }) => {
    await service.close();
    service = await startService({
      things: held.things,
      bearerAuth: judge.bearerAuth,
      maxBodyBytes: BODY,
      ...limits,
    });
  };
  beforeEach(async () => {
    judge = createJudge();
    await startJudged({ maxBufferedBytes: BUDGET });
  });
  afterEach(() => judge.letGo());

  const untilWaiting = async (count: number) => {
    while (judge.waiting.length < count) await fetch(`${service.url}/healthz`);
  };

  test('bodies that have come are in the budget, and beyond it the answer is 503 at once', async () => {
    const waiting = [1, 2].map((id) => read(post(service, thingOf(BODY, id))));
    await untilWaiting(2);
    expect(await read(post(service, thingOf(20)))).toEqual(OVERLOADED);
    judge.letGo(SOMEBODY);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('a body is read to its end afterwards, however it came', async () => {
    await startJudged({}); // a body of unknown length counts as much as may be read ahead, which exceeds that budget
    const thing = thingOf(BODY);
    const tiny = [...thing].map(chunk).join('');
    for (const bytes of [tiny, tiny.slice(0, 5000)]) {
      const socket = await openSocket(service.port);
      const answer = readToEnd(socket);
      socket.write(chunked() + bytes);
      await untilWaiting(1);
      await fetch(`${service.url}/healthz`);
      judge.letGo(SOMEBODY);
      socket.write(`${tiny.slice(bytes.length)}${chunk('')}`);
      expect(parseReplies(await answer)).toMatchObject([{ status: 200 }]);
    }
  });

  test.each([
    ['was served', SOMEBODY, () => {}],
    ['was refused', undefined, () => {}],
    ['was given up by its client', SOMEBODY, (socket: Socket) => socket.destroy()],
  ])('a request that waited and then %s gives its memory back', async (_name, verdict, part) => {
    for (let times = 0; times < 3; times += 1) {
      const closing = new Promise((resolve) =>
        service.server.once('connection', (accepted: Socket) => accepted.once('close', resolve)),
      );
      const socket = await openSocket(service.port);
      socket.on('error', () => {}).resume();
      const body = thingOf(BODY);
      socket.write(postHead(`Content-Length: ${body.length}`, 'Connection: close') + body);
      await untilWaiting(1);
      part(socket);
      judge.letGo(verdict);
      await closing;
    }
    const waiting = [1, 2].map((id) => read(post(service, thingOf(BODY, id))));
    await untilWaiting(2);
    judge.letGo(SOMEBODY);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('replies that no client reads', () => {
  const LARGE = 100_000;
  beforeEach(async () => {
    await service.close();
    service = await startService({ maxBodyBytes: LARGE, maxBufferedBytes: 7.4 * LARGE });
  });

  /** A client that sends a request again and again, and does not read, until a reply to it stays here. */
  const stuffWith = async (request: string): Promise<Socket> => {
    const accepting = once(service.server, 'connection');
    const client = await openSocket(service.port);
    const [accepted]: Socket[] = await accepting;
    client.on('error', () => {}).pause();
    while (accepted?.writableLength === 0) {
      client.write(request);
      await once(service.server, 'request');
      await fetch(`${service.url}/healthz`);
    }
    return client;
  };
  const stuff = (id: number) => stuffWith(postRequest(thingOf(LARGE, id)));

  test('stay in the budget until their client has disconnected', async () => {
    const clients = [await stuff(1), await stuff(2)];
    expect(await read(post(service, thingOf(LARGE, 3)))).toEqual(OVERLOADED);
    for (const client of clients) client.resetAndDestroy();
    let reply = await read(post(service, thingOf(LARGE, 3)));
    for (let times = 0; reply.status === 503 && times < 100; times += 1)
      reply = await read(post(service, thingOf(LARGE, 3)));
    expect(reply.status).toBe(200);
  });

  test('take no room if they are the metrics, which anybody may ask for: all of them are one text', async () => {
    const asked = head('GET /metrics');
    const clients = [await stuffWith(asked), await stuffWith(asked)];
    for (const client of clients) {
      const met = once(service.server, 'request');
      client.write(asked.repeat(15));
      await met;
    }
    await fetch(`${service.url}/metrics`);
    expect((await read(post(service, thingOf(LARGE, 3)))).status).toBe(200);
    for (const client of clients) client.destroy();
  });
});
