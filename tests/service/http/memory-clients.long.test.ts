import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { read, TOKEN } from '../../../packages/server/tests/support/service.ts';
import { type ServiceProcess, startProcess } from '../../../scripts/support/service.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { readLevel, readRss, WITH_COLLECTOR } from '../support/memory.ts';
import { postHead, postRequest } from '../support/raw-http.ts';
import { post } from '../support/service.ts';

const makeFolder = temporaryFolders();
const sockets: Socket[] = [];

let service: ServiceProcess;
let port: number;
const start = async (environment: Readonly<Record<string, string>> = {}) => {
  service = await startProcess(await makeFolder(), {
    ACCESS_TOKENS: TOKEN,
    ...WITH_COLLECTOR,
    ...environment,
  });
  port = Number(new URL(service.url).port);
};
beforeEach(() => start());
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.end();
});

const openSockets = async (count: number): Promise<Socket[]> => {
  const opened = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1' }));
  sockets.push(...opened);
  await Promise.all(
    opened.map((socket) =>
      once(
        socket.on('error', () => {}),
        'connect',
      ),
    ),
  );
  return opened;
};

const write = (socket: Socket, bytes: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    socket.write(bytes, () => resolve());
  });

/** The peak memory of the process during some work, above its memory before, in MiB. */
const growthDuring = async (work: () => Promise<unknown>): Promise<number> => {
  const { rss } = await readLevel(service);
  const seen: number[] = [];
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) seen.push(await readRss(service.pid));
  await done;
  return Math.max(...seen, await readRss(service.pid)) - rss;
};

const expectServed = async () =>
  expect(await read(post(service, '{"id":41,"name":"Fern"}'))).toEqual({
    status: 200,
    body: { name: 'Fern' },
  });

test('2,000 idle connections cost less than 32 KiB each, and others are served', async () => {
  const before = await readLevel(service);
  await openSockets(2000);
  await expectServed(); // it was accepted after all of them
  const after = await readLevel(service);
  expect((after.rss - before.rss) * 1024).toBeLessThan(2000 * 32);
});

test('bodies that come a byte at a time cost no more than their bytes', async () => {
  const bytes = 20_000;
  const clients = await openSockets(40);
  const growth = await growthDuring(async () => {
    await Promise.all(
      clients.map((socket) =>
        write(socket, postHead('Transfer-Encoding: chunked') + '1\r\n \r\n'.repeat(bytes)),
      ),
    );
    await expectServed();
  });
  expect(growth).toBeLessThan(64); // where a buffer was kept for each byte it would be some 300
});

test('thousands of bodies that inflate to their limit, at once, do not cost thousands of times that', async () => {
  const plant = `{"id":1,"name":"${'a'.repeat(102_000)}"}`;
  const bomb = gzipSync(plant);
  const request = Buffer.concat([
    Buffer.from(postHead('Content-Encoding: gzip', `Content-Length: ${bomb.length}`)),
    bomb,
  ]);
  const clients = await openSockets(200);
  const growth = await growthDuring(async () => {
    const packet = Buffer.concat(Array.from({ length: 30 }, () => request));
    await Promise.all(clients.map((socket) => write(socket.resume(), packet)));
    await expectServed();
  });
  expect(growth).toBeLessThan(512); // all at once they would hold a gigabyte, most of it inside zlib
});

test('hundreds of clients that ask on and on and never read cost some requests each', async () => {
  const ask = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const clients = await openSockets(400);
  const growth = await growthDuring(async () => {
    for (const socket of clients) socket.write(ask.repeat(20_000));
    await expectServed();
    await expectServed();
  });
  expect(growth).toBeLessThan(256); // where all of a read is served it would be some 800
});

test('bodies that wait for a store cost the memory of their rows, whatever else they contained', async () => {
  const silence = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silence, 'listening');
  const address = silence.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  await service.end();
  await start({
    DATABASE_URL: `postgres://a@127.0.0.1:${address.port}/a`,
    DATABASE_CONNECT_TIMEOUT_MS: '5000',
  });
  const baggage = postRequest(`{"id":1,"name":"Fern","baggage":[${'{},'.repeat(33_000)}{}]}`);
  const clients = await openSockets(200);
  const before = await readLevel(service);
  await Promise.all(clients.map((socket) => write(socket, baggage)));
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  const after = await readLevel(service);
  silence.close();
  expect(after.heap - before.heap).toBeLessThan(16); // parsed, it would be some 450
});

test('clients that have left hold no memory', async () => {
  const send = async (half: string) => {
    for (const socket of await openSockets(500)) {
      await write(socket, half);
      socket.resetAndDestroy();
    }
    await expectServed();
  };
  const body = `{"id":2,"name":"${'a'.repeat(50_000)}"}`;
  const halves = [postRequest(body).slice(0, -1), postRequest(body).slice(0, 60), postRequest(body)];
  for (const half of halves) await send(half);
  const before = await readLevel(service);
  for (const half of halves) await send(half);
  const after = await readLevel(service);
  expect(after.heap - before.heap).toBeLessThan(1);
});
