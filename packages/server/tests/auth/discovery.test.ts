import { createJwtAuthenticator } from '../../src/auth/jwt.ts';
import { createDiscovery, metadataUrlOf } from '../../src/auth/key-fetch.ts';
import { createKeySet } from '../../src/auth/key-set.ts';
import { startService } from '../support/service.ts';
import { REFUSED, SERVED, send, UNAVAILABLE } from './jwt-service.ts';
import { AUDIENCE, claims, makeKey, startKeyServer, writeToken } from './key-server.ts';

const key = makeKey('key');
const opened: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(opened.map((close) => close())));

/** Starts a service that discovers its keys from the issuer alone; `told` collects its warnings. */
const startFor = async (issuer: string, timeout = 10_000) => {
  const told: object[] = [];
  const log = { info: () => {}, warn: (details: object) => told.push(details) };
  const keys = createKeySet(metadataUrlOf(issuer), log, { pause: 0, timeout }, createDiscovery(issuer));
  const service = await startService({
    bearerAuth: createJwtAuthenticator({ issuer, audience: AUDIENCE }, keys.find),
  });
  opened.push(async () => keys.close());
  opened.push(service.close);
  return { ...service, told };
};

/** An issuer that publishes its metadata beside its keys, and a service that accepts its tokens. */
const start = async (
  change: (metadata: Readonly<Record<string, unknown>>) => unknown = (same) => same,
  path = '',
) => {
  const server = await startKeyServer();
  const issuer = server.url.origin + path;
  const asked: string[] = [];
  let metadata: unknown = change({ issuer, jwks_uri: new URL('/somewhere/keys', server.url).href });
  const serve = () =>
    server.answerWith(({ url = '' }, response) => {
      asked.push(url);
      response.end(JSON.stringify(url.startsWith('/somewhere') ? { keys: [key.jwk] } : metadata));
    });
  serve();
  const service = await startFor(issuer);
  opened.push(server.leave);
  const token = writeToken(key, claims({ iss: issuer }));
  const become = (other: unknown): void => {
    metadata = other;
  };
  return { ...service, issuer, server, asked, token, serve, become };
};

test.each([
  ['', '/.well-known/openid-configuration'],
  ['/', '/.well-known/openid-configuration'],
  ['/realms/one', '/realms/one/.well-known/openid-configuration'],
  ['/realms/one/', '/realms/one/.well-known/openid-configuration'],
])('the keys of an issuer at "%s" are found by the metadata at %s', async (path, metadata) => {
  const service = await start(undefined, path);
  expect(await send(service, service.token)).toMatchObject(SERVED);
  expect(service.asked).toEqual([metadata, '/somewhere/keys']);
  expect(await send(service, writeToken(makeKey('key'), claims({ iss: service.issuer })))).toMatchObject(
    REFUSED,
  );
});

test.each<[string, (metadata: Readonly<Record<string, unknown>>) => unknown, string]>([
  [
    'of another issuer',
    (same) => ({ ...same, issuer: 'https://other.example' }),
    'is not of http://127.0.0.1',
  ],
  ['of no issuer', ({ issuer: _, ...rest }) => rest, 'is not of http://127.0.0.1'],
  [
    'of the issuer in other words',
    (same) => ({ ...same, issuer: `${same.issuer}/` }),
    'set JWT_ISSUER as it says',
  ],
  ['without keys', ({ jwks_uri: _, ...rest }) => rest, 'no jwks_uri'],
  ['with keys in a file', (same) => ({ ...same, jwks_uri: 'file:///etc/keys' }), 'no jwks_uri'],
  ['with keys behind a password', (same) => ({ ...same, jwks_uri: 'http://a:b@127.0.0.1/' }), 'no jwks_uri'],
  ['that is no object', () => [], 'is not of http://127.0.0.1'],
])('metadata %s is no fault of the token: 503, and the log says why', async (_what, change, reason) => {
  const service = await start(change, '/one');
  expect(await send(service, service.token)).toMatchObject(UNAVAILABLE);
  expect(service.asked.filter((url) => url.startsWith('/somewhere'))).toEqual([]);
  expect(service.told).toMatchObject([{ err: { message: expect.stringContaining(reason) } }]);
  service.become({ issuer: service.issuer, jwks_uri: new URL('/somewhere/else', service.issuer).href });
  expect(await send(service, service.token)).toMatchObject(SERVED);
});

test('an issuer of https does not lead to keys of http', async () => {
  const issuer = 'https://issuer.example';
  const metadata = `data:application/json,${JSON.stringify({ issuer, jwks_uri: 'http://issuer.example/keys' })}`;
  const fetching = createDiscovery(issuer)(metadata, {
    headers: new Headers(),
    method: 'GET',
    redirect: 'manual',
    signal: AbortSignal.timeout(1000),
  });
  await expect(fetching).rejects.toThrow('no jwks_uri that can be used; set JWT_JWKS_URL');
});

test.each([
  ['an error', 500, '{}'],
  ['a page', 200, '<html></html>'],
  ['the way to somewhere else', 302, ''],
  ['too much', 200, ' '.repeat(1_048_577)],
])('an issuer that answers with %s counts as away, until it is back', async (_what, status, body) => {
  const { issuer, server, serve, token } = await start();
  server.answerWith((_request, response) => response.writeHead(status, { Location: '/keys' }).end(body));
  const service = await startFor(issuer);
  expect(await send(service, token)).toMatchObject(UNAVAILABLE);
  serve();
  expect(await send(service, token)).toMatchObject(SERVED);
});

test('an issuer that does not answer in time counts as away', async () => {
  const { issuer, server, token } = await start();
  server.answerWith(() => {});
  expect(await send(await startFor(issuer, 200), token)).toMatchObject(UNAVAILABLE);
});
