import { REFUSED, SERVED, UNAVAILABLE } from '../../../packages/server/tests/auth/jwt-service.ts';
import {
  AUDIENCE,
  claims,
  ISSUER,
  type KeyServer,
  makeKey,
  startKeyServer,
  writeToken,
} from '../../../packages/server/tests/auth/key-server.ts';
import { type ServiceProcess, startProcess } from '../../../scripts/support/service.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { send } from './send.ts';

const makeFolder = temporaryFolders();
const key = makeKey('key');

let server: KeyServer;
beforeEach(async () => {
  server = await startKeyServer(key);
});
afterEach(() => server.leave());

const startWith = async (settings: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> =>
  startProcess(await makeFolder(), {
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: AUDIENCE,
    JWT_JWKS_URL: server.url.href,
    DATABASE_URL: 'memory:',
    NODE_ENV: 'production',
    ...settings,
  });

test('the service as it runs verifies JWTs, beside static tokens, and logs none of them', async () => {
  const service = await startWith({ ACCESS_TOKENS: 'alice:abc, b.c.d' });
  const token = writeToken(key);
  const wrong = writeToken(key, claims({ aud: 'another' }));
  expect(await send(service, token)).toMatchObject(SERVED);
  expect(await send(service, 'abc')).toMatchObject(SERVED);
  expect(await send(service, 'b.c.d')).toMatchObject(SERVED);
  expect(await send(service, wrong)).toMatchObject(REFUSED);
  expect(await send(service, 'a.b.c')).toMatchObject(REFUSED);
  expect(await send(service, 'gu3ss')).toMatchObject(REFUSED);
  expect(await service.end()).toBe(0);
  const reasons = service.log.flatMap(({ reason }) => reason ?? []);
  expect(reasons).toEqual([
    'the token is no valid JWT: unexpected "aud" claim value',
    'the token is no valid JWT: Failed to base64url decode the payload',
    'the token is no valid JWT: Invalid JWT',
  ]);
  const messages = new Set(service.log.map(({ msg }) => msg));
  expect([...messages]).toEqual(['listening', 'request', 'stopping', 'stopped']);
  const log = JSON.stringify(service.log);
  for (const secret of [token, wrong, 'abc', 'b.c.d', 'a.b.c', 'gu3ss']) expect(log).not.toContain(secret);
});

test('a service whose key server is down starts, answers 503 to JWTs only, and serves them once it is up', async () => {
  await server.leave();
  const service = await startWith({ ACCESS_TOKENS: 'alice:abc' });
  const token = writeToken(key);
  expect(await send(service, token)).toMatchObject(UNAVAILABLE);
  expect(await send(service, 'abc')).toMatchObject(SERVED);
  await server.comeBack();
  const backAt = performance.now();
  while ((await send(service, token)).status === 503 && performance.now() - backAt < 10_000);
  expect(await send(service, token)).toMatchObject(SERVED);
  expect(performance.now() - backAt).toBeLessThan(3000);
  expect(await service.end()).toBe(0);
  expect(JSON.stringify(service.log)).not.toContain(token);
  const away = service.log.find(({ status }) => status === 503);
  expect(away).toMatchObject({ error: 50303, err: { message: expect.stringContaining('ECONNREFUSED') } });
});

test('no first token is created where JWTs are configured', async () => {
  const service = await startWith({ NODE_ENV: '' });
  await service.end();
  expect(service.log[0]).toEqual(expect.not.objectContaining({ tokenFile: expect.anything() }));
});
