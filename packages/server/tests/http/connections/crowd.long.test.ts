import type { Socket } from 'node:net';
import {
  ask,
  exchange,
  head,
  openMany,
  parseReplies,
  postRequest,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { type Service, startService } from '../../support/service.ts';
import { createThings, type Things } from '../../support/things.ts';

const HEALTH = head('GET /healthz', 'Connection: close');
const create = (id: number) => postRequest(`{"id":${id},"name":"Lamp"}`);

/** Connections that the service has taken in already. */
const openKept = async (port: number, count: number): Promise<Socket[]> => {
  const clients = await openMany(port, count);
  await Promise.all(clients.map((client) => ask(client, head('GET /healthz'))));
  return clients;
};

/** A store that blocks the event loop for each write, and records the writes. */
const createBusyStore = (milliseconds: number) => {
  const stored: bigint[] = [];
  const things: Things = {
    ...createThings(),
    async create({ id }) {
      const end = performance.now() + milliseconds;
      while (performance.now() < end);
      stored.push(id);
      return 'created';
    },
  };
  return { things, stored };
};

describe('while many ask at once', () => {
  let service: Service;
  afterEach(() => service.close());

  test('new connections and /healthz have their turn before all others are served', async () => {
    const { things, stored } = createBusyStore(5);
    service = await startService({ things });
    const clients = await openKept(service.port, 100);
    const answers = clients.map((client, id) => ask(client, create(id)));
    const servedBefore = exchange(service.port, HEALTH).then(() => stored.length);
    expect(await servedBefore).toBeLessThan(50);
    await Promise.all(answers);
    for (const client of clients) client.destroy();
  });

  test('requests that would wait too long get 503, and the others are served', async () => {
    const { things, stored } = createBusyStore(10);
    service = await startService({ things });
    const clients = await openKept(service.port, 400); // four seconds of work
    const answers = await Promise.all(clients.map((client, id) => ask(client, create(id))));
    const [served, refused] = [200, 503].map((status) =>
      answers.filter((answer) => answer.startsWith(`HTTP/1.1 ${status} `)),
    );
    expect(served?.length).toBeGreaterThan(10);
    expect(refused?.length).toBeGreaterThan(50);
    expect(served).toHaveLength(stored.length);
    expect(stored.length + (refused?.length ?? 0)).toBe(400);
    for (const answer of refused ?? []) {
      expect(answer).toContain('\r\nRetry-After: 1\r\n');
      expect(parseReplies(answer)).toMatchObject([
        { body: { error: 50302, message: 'the service is overloaded; try again' } },
      ]);
    }
    for (const client of clients) client.destroy();
  });

  test('a client that waits for each answer is served before those who send more ahead of theirs', async () => {
    const { things, stored } = createBusyStore(3);
    service = await startService({ things });
    const [patient, ...greedy] = await openKept(service.port, 21);
    const ids = Array.from({ length: 15 }, (_, id) => id);
    for (const client of greedy) client.resume().write(ids.map(create).join(''));
    const servedBefore = patient && ask(patient, create(99)).then(() => stored.length);
    expect(await servedBefore).toBeLessThan(100);
    expect(stored).toContain(99n);
    for (const client of [patient, ...greedy]) client?.destroy();
  });

  test('one who hangs up while waiting is not served', async () => {
    const { things, stored } = createBusyStore(20);
    service = await startService({ things });
    const clients = await openKept(service.port, 20);
    const [last] = clients.slice(-1);
    const answers = clients.map((client, id) => ask(client, create(id)));
    await answers[0];
    last?.resetAndDestroy();
    await Promise.all(answers.slice(0, -1));
    await exchange(service.port, HEALTH);
    expect(stored).not.toContain(19n);
    for (const client of clients) client.destroy();
  });

  test.each([
    ['requests without a token', () => head('POST /things', 'Content-Length: 0')],
    ['creates', create],
  ])(
    'of %s that many connections pipeline each is answered, and a client beside them before the last',
    async (_name, write) => {
      service = await startService();
      const [patient, ...greedy] = await openKept(service.port, 501);
      const ids = Array.from({ length: 16 }, (_, id) => id);
      let done = 0;
      const replies = greedy.map((client) => readToEnd(client).finally(() => (done += 1)));
      for (const [nth, client] of greedy.entries())
        client.end(ids.map((id) => write(100 * nth + id)).join(''));
      const doneBefore = patient && ask(patient, create(99_999)).then(() => done);
      expect(await doneBefore).toBeLessThan(250);
      const counts = (await Promise.all(replies)).map((each) => parseReplies(each).length);
      expect(new Set(counts)).toEqual(new Set([16]));
      patient?.destroy();
    },
  );
});
