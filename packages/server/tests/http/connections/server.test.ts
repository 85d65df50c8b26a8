import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { createHttpServer } from '../../../src/http/server.ts';
import { createTestApp, startService } from '../../support/service.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

const createServer = async () => {
  const { app, observer } = await createTestApp();
  return { app, ...createHttpServer(app, observer) };
};

test('the address tells the port that the system chose', async () => {
  const server = await createServer();
  const url = await server.listen(0, '127.0.0.1');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  await server.stop();
});

(hasIpv6 ? test : test.skip)('an IPv6 address is returned in brackets, as URLs require', async () => {
  const server = await createServer();
  const url = await server.listen(0, '::1');
  expect(url).toMatch(/^http:\/\/\[::1\]:[1-9]\d*$/);
  expect(new URL(url).hostname).toBe('[::1]');
  await server.stop();
});

test('a port that is taken is an error, and the server can listen elsewhere', async () => {
  const taken = await startService();
  const server = await createServer();
  await expect(server.listen(taken.port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
  const url = await server.listen(0, '127.0.0.1');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  await Promise.all([taken.close(), server.stop()]);
});

test('requests and responses are born with the prototypes that Express wants, and keep them', async () => {
  const { app, ...server } = await createServer();
  const atBirth: object[] = [];
  const messages: object[] = [];
  server.server.prependListener('request', (...pair) => {
    messages.push(...pair);
    atBirth.push(...pair.map((message) => Object.getPrototypeOf(message)));
  });
  const url = await server.listen(0, '127.0.0.1');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  await server.stop();

  const wanted = [app.request, app.response];
  expect(atBirth).toHaveLength(2);
  for (const [index, message] of messages.entries()) {
    expect(atBirth[index]).toBe(wanted[index]);
    expect(Object.getPrototypeOf(message)).toBe(wanted[index]);
  }
});

test('properties added to the requests of the app are present in the requests of the server', async () => {
  const { app, observer } = await createTestApp();
  Object.defineProperty(app.request, 'greeting', { value: 'hello' });
  const server = createHttpServer(app, observer);
  const met = once(server.server, 'request');
  const url = await server.listen(0, '127.0.0.1');
  await fetch(`${url}/healthz`);
  const [request]: unknown[] = await met;
  expect(request).toHaveProperty('greeting', 'hello');
  await server.stop();
});
