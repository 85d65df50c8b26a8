import express from 'express';
import { expressServers } from '../support/express.ts';
import { createTestApp, type Service, startService } from '../support/service.ts';

const serveExpress = expressServers();

/** Replies with the values that Express finds out about a request, as the owner's middleware and routes see them. */
const routes = express.Router().get('/whence', ({ ip, protocol, host }, response) => {
  response.json([ip, protocol, host]);
});

const services: Service[] = [];
afterAll(() => Promise.all(services.map(({ close }) => close())));
const start = async (trustProxy: readonly string[]) => {
  const service = await startService({ routes, trustProxy });
  services.push(service);
  return service;
};

const whence = async (url: string, headers: Record<string, string>): Promise<unknown> =>
  (await fetch(`${url}/whence`, { headers })).json();

const HERE = '127.0.0.1';
const CLIENT = '192.0.2.1';

describe('behind a proxy that is believed', () => {
  let url = '';
  beforeAll(async () => {
    url = (await start(['loopback', '10.0.0.0/8'])).url;
  });

  test.each([
    ['no header', {}, HERE],
    ['one address', { 'X-Forwarded-For': CLIENT }, CLIENT],
    ['an address from the client before it', { 'X-Forwarded-For': `6.6.6.6, ${CLIENT}` }, CLIENT],
    ['another proxy that is believed', { 'X-Forwarded-For': `6.6.6.6,${CLIENT}, 10.1.2.3` }, CLIENT],
    ['only proxies', { 'X-Forwarded-For': '10.0.0.9, 10.1.2.3' }, '10.0.0.9'],
    ['a port', { 'X-Forwarded-For': `${CLIENT}:4711` }, CLIENT],
    ['IPv6', { 'X-Forwarded-For': '2001:db8::1' }, '2001:db8::1'],
    ['IPv6 with a port', { 'X-Forwarded-For': '[2001:db8::1]:4711' }, '2001:db8::1'],
    ['IPv4 as IPv6', { 'X-Forwarded-For': `::ffff:${CLIENT}, ::ffff:10.0.0.1` }, CLIENT],
    ['no address', { 'X-Forwarded-For': 'unknown, 10.1.2.3' }, '10.1.2.3'],
    ['nothing', { 'X-Forwarded-For': ',' }, HERE],
    ['Forwarded', { Forwarded: `for=6.6.6.6, For=${CLIENT};by=10.0.0.1` }, CLIENT],
    ['Forwarded, quoted', { Forwarded: 'for="[2001:db8::1]:_x"; by=_proxy' }, '2001:db8::1'],
    ['Forwarded, hidden', { Forwarded: 'for=_hidden, for=10.1.2.3' }, '10.1.2.3'],
    ['a quote that a client left open', { Forwarded: `for=", for=${CLIENT}` }, CLIENT],
    ['both, the same', { Forwarded: `for=${CLIENT}`, 'X-Forwarded-For': CLIENT }, CLIENT],
    ['both, one from the client', { Forwarded: 'for=6.6.6.6', 'X-Forwarded-For': CLIENT }, HERE],
  ])('the address of a request with %s', async (_name, headers, expected) => {
    expect(await whence(url, headers)).toEqual([expected, 'http', new URL(url).host]);
  });

  test.each([
    ['one value each', { 'X-Forwarded-Proto': 'HTTPS', 'X-Forwarded-Host': 'api.example' }, 'https'],
    ['Forwarded', { Forwarded: `for=${CLIENT};proto=https;host="api.example"` }, 'https'],
    [
      'lists, the first value from the client',
      {
        'X-Forwarded-For': `6.6.6.6, ${CLIENT}`,
        'X-Forwarded-Proto': 'https, http',
        'X-Forwarded-Host': 'evil.example, api.example',
      },
      'http',
    ],
    [
      'two proxies, of which the second adds no more',
      {
        'X-Forwarded-For': `${CLIENT}, 10.1.2.3`,
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'api.example',
      },
      'https',
    ],
  ])('the scheme and the host of a request with %s', async (_name, headers, scheme) => {
    expect(await whence(url, headers)).toEqual([expect.any(String), scheme, 'api.example']);
  });

  test('an invalid scheme, and a scheme on which the headers do not agree, are not trusted', async () => {
    const { host } = new URL(url);
    const headers = { Forwarded: 'proto=https;host=evil.example', 'X-Forwarded-For': HERE };
    expect(await whence(url, headers)).toEqual([HERE, 'http', host]);
    expect(await whence(url, { 'X-Forwarded-Proto': 'javascript' })).toEqual([HERE, 'http', host]);
  });

  test('a list of 15,000 characters of proxies costs little, and the nearest are followed', async () => {
    const headers = { 'X-Forwarded-For': `${CLIENT},${`${HERE},`.repeat(1500)}${HERE}` };
    await whence(url, {});
    const before = process.cpuUsage();
    for (let nth = 0; nth < 20; nth += 1)
      expect(await whence(url, headers)).toEqual([HERE, 'http', new URL(url).host]);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 20_000).toBeLessThan(20); // milliseconds of the client, of the server and of jest
  });
});

test.each([
  ['no proxy is trusted', []],
  ['this machine is not trusted', ['10.0.0.0/8', 'linklocal', 'uniquelocal']],
])('where %s, the headers are ignored', async (_name, trusted) => {
  const { url } = await start(trusted);
  const headers = {
    'X-Forwarded-For': CLIENT,
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'evil.example',
  };
  const forwarded = { Forwarded: `for=${CLIENT};proto=https;host=evil.example` };
  for (const sent of [headers, forwarded])
    expect(await whence(url, sent)).toEqual([HERE, 'http', new URL(url).host]);
});

test('a parent app decides for the service mounted in it', async () => {
  const { app } = await createTestApp({ routes });
  const parent = express().set('trust proxy', 'loopback').use('/garden', app);
  const url = await serveExpress(parent);
  const headers = { Forwarded: `for=${CLIENT};proto=https` };
  expect(await whence(`${url}/garden`, headers)).toEqual([CLIENT, 'https', new URL(url).host]);
});
