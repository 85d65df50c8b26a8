import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { read, TOKEN } from '../../packages/server/tests/support/service.ts';
import { environmentOf, MAIN, startProcess } from '../../scripts/support/service.ts';
import { head, openSocket, parseReplies, readToEnd } from '../support/raw-http.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { postRequest } from './support/raw-http.ts';
import { post } from './support/service.ts';

const makeFolder = temporaryFolders();
const ACCESS_TOKENS = `tests:${TOKEN}`;

const portOf = (url: string) => Number(new URL(url).port);
const openMany = (port: number) => Promise.all(Array.from({ length: 50 }, () => openSocket(port)));
const create = (id: number) => postRequest(`{"id":${id},"name":"Fern"}`);

/** Asks for something small, and waits for the answer: from then on the connection is a kept one. */
const useOnce = async (socket: Socket): Promise<void> => {
  socket.write(head('GET /healthz'));
  await once(socket, 'data');
};

test.each(['0', '300'])(
  'a process that was held up around the signal answers all that had arrived, with DRAIN_MS=%s',
  async (DRAIN_MS) => {
    const service = await startProcess(await makeFolder(), { ACCESS_TOKENS, DRAIN_MS });
    const port = portOf(service.url);
    const kept = await openMany(port);
    await Promise.all(kept.map(useOnce));

    process.kill(service.pid, 'SIGSTOP');
    const sockets = [...kept, ...(await openMany(port))];
    const answers = sockets.map(readToEnd);
    for (const [id, socket] of sockets.entries()) socket.write(create(id));
    await sleep(100); // the request has arrived by then, although nothing reads it
    const ended = service.end('SIGTERM');
    await sleep(400); // any timer of the stop would be due
    process.kill(service.pid, 'SIGCONT');

    const replies = (await Promise.all(answers)).map((answer) =>
      parseReplies(answer).map((reply) => reply.status),
    );
    expect(replies).toEqual(replies.map(() => [200]));
    expect(replies).toHaveLength(100);
    expect(await ended).toBe(0);
  },
);

test('a process that was held up in the middle of its stop answers all that had arrived', async () => {
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS, DRAIN_MS: '200' });
  const port = portOf(service.url);
  const kept = await openMany(port);
  await Promise.all(kept.map(useOnce));
  const ended = service.end('SIGTERM');
  while ((await fetch(`${service.url}/readyz`)).status === 200);

  process.kill(service.pid, 'SIGSTOP');
  const sockets = [...kept, ...(await openMany(port))];
  const answers = sockets.map(readToEnd);
  for (const [id, socket] of sockets.entries()) socket.write(create(id));
  await sleep(600); // every timer of the stop is due
  process.kill(service.pid, 'SIGCONT');

  const replies = (await Promise.all(answers)).map((answer) =>
    parseReplies(answer).map((reply) => reply.status),
  );
  expect(replies).toEqual(replies.map(() => [200]));
  expect(await ended).toBe(0);
});

test('while it drains a service reports that it is not ready, and answers a last request on each connection', async () => {
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS, DRAIN_MS: '600000' });
  const kept = await openSocket(portOf(service.url));
  await useOnce(kept);
  const ended = service.end('SIGTERM');
  let ready = await fetch(`${service.url}/readyz`);
  while (ready.status === 200) ready = await fetch(`${service.url}/readyz`);
  expect(await read(ready)).toEqual({ status: 503, body: { error: 50301, message: 'stopping' } });

  const reply = await post({ url: service.url }, '{"id":1,"name":"Fern"}');
  expect(reply.headers.get('connection')).toBe('close');
  expect(await read(reply)).toEqual({ status: 200, body: { name: 'Fern' } });
  const answer = readToEnd(kept);
  kept.write(create(2));
  expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*Connection: close\r\n/);

  void service.end('SIGTERM'); // the second signal does not wait
  expect(await ended).toBeNull();
});

test('a service whose log is full and has no reader still ends', async () => {
  const child = spawn(process.execPath, [MAIN], {
    cwd: await makeFolder(),
    env: environmentOf({ ACCESS_TOKENS, DRAIN_MS: '0' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: string[] = await once(createInterface({ input: child.stdout }), 'line');
  child.stdout.pause(); // unread lines fill the pipe, and then the memory of the service
  const { address } = JSON.parse(line ?? '');
  const ask = async () => (await fetch(`${address}/${'nowhere'.repeat(30)}`)).arrayBuffer();
  for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 100 }, ask));
  const tooLate = setTimeout(() => child.kill('SIGKILL'), 8000);
  child.kill();
  expect(await once(child, 'exit')).toEqual([0, null]);
  clearTimeout(tooLate);
  child.stdout.destroy();
});

test('a service whose terminal hangs keeps serving, and ends on a signal', async () => {
  const cwd = await makeFolder();
  // util-linux's script gives the service a terminal, and reads it until it is stopped itself.
  const terminal = spawn('script', ['-qefc', `exec ${process.execPath} ${MAIN}`, 'out.txt'], {
    cwd,
    env: environmentOf({ ACCESS_TOKENS, DRAIN_MS: '0' }),
    stdio: 'ignore',
  });
  const closed = once(terminal, 'close');
  const screen = () => (existsSync(join(cwd, 'out.txt')) ? readFileSync(join(cwd, 'out.txt'), 'utf8') : '');
  const findAddress = () => /http:\/\/127\.0\.0\.1:\d+/.exec(screen())?.[0];
  while (findAddress() === undefined) await sleep(20);
  const address = findAddress() ?? '';
  const { pid = 0 } = terminal;
  const [service = 0] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  const isRunning = () => !/^State:\tZ/m.test(readFileSync(`/proc/${service}/status`, 'utf8'));

  terminal.kill('SIGSTOP');
  try {
    const ask = () => fetch(`${address}/${'nowhere'.repeat(30)}`, { signal: AbortSignal.timeout(10_000) });
    for (let round = 0; round < 10; round += 1) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => read(ask())));
      expect(replies).toEqual(replies.map(() => expect.objectContaining({ status: 404 })));
    }
    process.kill(service, 'SIGTERM');
    const tooLate = performance.now() + 10_000;
    while (isRunning() && performance.now() < tooLate) await sleep(20);
    expect(isRunning()).toBe(false);
  } finally {
    if (isRunning()) process.kill(service, 'SIGKILL');
    terminal.kill('SIGCONT');
    await closed;
  }
});
