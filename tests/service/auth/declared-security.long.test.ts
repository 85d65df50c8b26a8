import { existsSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SERVED } from '../../../packages/server/tests/auth/jwt-service.ts';
import {
  AUDIENCE,
  claims,
  makeKey,
  startKeyServer,
  writeToken,
} from '../../../packages/server/tests/auth/key-server.ts';
import { MAIN, type Settings, startProcess } from '../../../scripts/support/service.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { CONTRACT_FILE } from '../support/service.ts';
import { send } from './send.ts';

const makeFolder = temporaryFolders();
const ROOT = dirname(CONTRACT_FILE);

/** Starts the built service with another `security` in its contract. */
const startWith = async (security: string, settings: Settings) => {
  const folder = await makeFolder();
  await cp(dirname(dirname(MAIN)), join(folder, 'dist'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const contract = await readFile(CONTRACT_FILE, 'utf8');
  const changed = contract.replace('security:\n  - bearerAuth: []\n', `security: ${security}\n`);
  expect(changed).not.toBe(contract);
  await writeFile(join(folder, 'dist/openapi.yaml'), changed);
  const program = join(folder, 'dist/bin/main.js');
  const service = await startProcess(folder, { DATABASE_URL: 'memory:', ...settings }, program);
  return { ...service, folder };
};

const LACKING = {
  status: 403,
  error: 40301,
  challenge: 'Bearer error="insufficient_scope", scope="plants:write"',
};

test('a contract that asks for no credentials starts in production without tokens, and makes none', async () => {
  const service = await startWith('[]', { NODE_ENV: 'production' });
  expect(await send(service, 'whatever')).toMatchObject(SERVED);
  await service.end();
  expect(existsSync(join(service.folder, 'data'))).toBe(false);
  expect(service.log[0]).not.toHaveProperty('tokenFile');
});

test('the token that the service makes for itself has every scope', async () => {
  const service = await startWith('[{ bearerAuth: ["plants:write"] }]', {});
  const token = (await readFile(join(service.folder, 'data/access-token'), 'utf8')).trim();
  expect(await send(service, token)).toMatchObject(SERVED);
  await service.end();
});

test('scopes come from ACCESS_TOKENS, and from JWTs whose keys the issuer leads to', async () => {
  const key = makeKey('key');
  const server = await startKeyServer(key);
  const issuer = server.url.origin;
  server.answerWith(({ url }, response) => {
    const metadata = { issuer, jwks_uri: server.url.href };
    response.end(JSON.stringify(url === server.url.pathname ? { keys: [key.jwk] } : metadata));
  });
  const service = await startWith('[{ bearerAuth: ["plants:write"] }]', {
    NODE_ENV: 'production',
    ACCESS_TOKENS: 'alice:abc, bob:def:plants:write',
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: AUDIENCE,
  });
  const tokenWith = (scope: string) => writeToken(key, claims({ iss: issuer, scope }));
  expect(await send(service, 'abc')).toMatchObject(LACKING);
  expect(await send(service, 'def')).toMatchObject(SERVED);
  expect(await send(service, tokenWith('plants:read'))).toMatchObject(LACKING);
  expect(await send(service, tokenWith('plants:read plants:write'))).toMatchObject(SERVED);
  await service.end();
  await server.leave();
});
