import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import {
  exchange,
  head,
  openSocket,
  parseReplies,
  postRequest,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { type Service, startService } from '../../support/service.ts';
import { holdThings, type Things } from '../../support/things.ts';

let service: Service;
afterEach(() => service.close());

const HEALTH = head('GET /healthz', 'Connection: close');

const expectServed = async () =>
  expect(parseReplies(await exchange(service.port, HEALTH))).toMatchObject([{ status: 200 }]);

/** Opens a connection and waits until the service has it: gives both sides. */
const openBothSides = async (): Promise<[client: Socket, accepted: Socket]> => {
  const connection = once(service.server, 'connection');
  const client = await openSocket(service.port);
  const [accepted]: Socket[] = await connection;
  if (!accepted) throw new Error('no connection');
  return [client, accepted];
};

test('hundreds of silent connections get 408 and are closed after their timeout', async () => {
  service = await startService({ timeouts: { headers: 500 } });
  const idle = await Promise.all(Array.from({ length: 500 }, () => openSocket(service.port)));
  await expectServed();
  const answers = await Promise.all(idle.map(readToEnd));
  expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 408 '))).toHaveLength(500);
  await expectServed();
});

test('connections beyond the most that are allowed are dropped, and the others are served', async () => {
  service = await startService();
  service.server.maxConnections = 2;
  const [one] = await openBothSides();
  const [other, accepted] = await openBothSides();
  const dropped = once(service.server, 'drop');
  expect(await exchange(service.port, HEALTH)).toBe('');
  await dropped;

  const answer = readToEnd(one);
  one.write(HEALTH);
  expect(parseReplies(await answer)).toMatchObject([{ status: 200 }]);
  const gone = new Promise((resolve) => accepted.once('close', resolve));
  other.destroy();
  await gone;
  await expectServed();
});

test('a client that asks on and on and never reads is not served without bound, and is cut off', async () => {
  service = await startService({ timeouts: { stalled: 500 } });
  let served = 0;
  service.server.on('request', () => {
    served += 1;
  });
  const [client, accepted] = await openBothSides();
  const cut = new Promise((resolve) => accepted.once('close', resolve));
  client.on('error', () => {}).pause();
  const ask = postRequest(`{"id":1,"name":"${'a'.repeat(100_000)}"}`);
  for (let asked = 0; asked < 500; asked += 1) {
    client.write(ask);
    await setImmediate(); // the service, in this same process, has its turn
  }
  await cut;
  client.destroy();
  expect(served).toBeGreaterThan(0);
  expect(served).toBeLessThan(200); // as many as the buffers of the system hold
  await expectServed();
});

test('a client that has asked for too much is cut off too if nothing moves any more', async () => {
  const held = holdThings();
  service = await startService({ things: held.things, timeouts: { stalled: 500 } });
  expect(await exchange(service.port, postRequest('{"id":1,"name":"Lamp"}').repeat(17))).toBe('');
  held.release();
  await expectServed();
});

test('of more requests at once than anybody waits for, the first are answered and the store is spared the rest', async () => {
  const held = holdThings();
  let asked = 0;
  const create: Things['create'] = (thing) => {
    asked += 1;
    return held.things.create(thing);
  };
  service = await startService({ things: { ...held.things, create } });
  const answering = exchange(service.port, postRequest('{"id":1,"name":"Lamp"}').repeat(300));
  await held.reached;
  await expectServed(); // by now, whatever is to reach the store has done so
  held.release();
  expect(parseReplies(await answering).map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect(asked).toBe(16);
  await expectServed();
});

test('a client that reads its answers may ask as often as it likes', async () => {
  service = await startService();
  const client = await openSocket(service.port);
  for (let round = 0; round < 5; round += 1) {
    client.write(HEALTH.replace('Connection: close\r\n', '').repeat(15));
    let answers = '';
    while (answers.split('HTTP/1.1 200 ').length <= 15) answers += String((await once(client, 'data'))[0]);
  }
  client.destroy();
  await expectServed();
});

test('a client may send some requests at once, and has them answered in order', async () => {
  service = await startService();
  const names = Array.from({ length: 16 }, (_, index) => `thing ${index}`);
  const requests = names.map((name, index) =>
    postRequest(JSON.stringify({ id: index, name }), ...(index === 15 ? ['Connection: close'] : [])),
  );
  const replies = parseReplies(await exchange(service.port, requests.join('')));
  expect(replies.map(({ body }) => body)).toEqual(names.map((name) => ({ name })));
});

test('a client that does not read its reply delays no other client in a stop, and is cut', async () => {
  service = await startService({ description: 'A long story. '.repeat(100_000) }); // in /openapi.json: 1.4 MB
  const idle = await openSocket(service.port);
  idle.write(head('GET /healthz'));
  await once(idle, 'data');
  const stuck = await openSocket(service.port);
  stuck.on('error', () => {});
  stuck.write(head('GET /openapi.json').repeat(12)); // more than the sockets of both sides hold
  await once(stuck, 'readable'); // and it never reads
  const order: string[] = [];
  const stopped = service.stop(600_000).then(() => order.push('stopped'));
  await readToEnd(idle);
  order.push('idle closed');
  await stopped;
  expect(order).toEqual(['idle closed', 'stopped']);
  stuck.destroy();
});
