import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import '../../src/auth/jwt.ts'; // loaded before it is asked for: jest cannot load jose twice at once
import { hasScope } from '@trellis/contract';
import { openAuthenticator, readAuthSettings } from '@trellis/server';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { createAuthenticators } from '../../src/program/authenticators.ts';
import { newDocument } from '../support/documents.ts';
import { serveDocument } from '../support/serve.ts';
import { AUDIENCE, claims, ISSUER, inSeconds, makeKey, startKeyServer, writeToken } from './key-server.ts';

const makeFolder = temporaryFolders();
const opened: (() => unknown)[] = [];
afterAll(() => Promise.all(opened.map((close) => close())));

const operation = (operationId: string, security: object[]) => ({
  get: {
    operationId,
    security,
    responses: { 200: { description: 'x', content: { 'application/json': { schema: {} } } } },
  },
});
const SCHEMES = {
  'Sign in': { type: 'oauth2', flows: {} },
  single_sign_on: {
    type: 'openIdConnect',
    openIdConnectUrl: 'https://id.example/.well-known/openid-configuration',
  },
  token: { type: 'http', scheme: 'bearer' },
  login: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'query', name: 'key' },
};

/** A service whose schemes have names of all kinds, with the settings of an environment; it answers with the principal. */
const startWith = async (environment: Readonly<Record<string, string>>) => {
  const names = Object.keys(SCHEMES);
  const document = await newDocument({
    paths: Object.fromEntries(
      names.map((name, nth) => [`/${nth}`, operation(`serve${nth}`, [{ [name]: ['read:things', 'list'] }])]),
    ),
    components: { securitySchemes: SCHEMES },
  });
  const log = { info: () => {}, warn: () => {} };
  const tokens = await openAuthenticator(readAuthSettings(environment), log, {
    isTolerant: false,
    interval: 50,
  });
  const handle = async ({ principal }: { readonly principal: unknown }) => ({ status: 200, body: principal });
  const { url, close } = await serveDocument({
    document,
    handlers: Object.fromEntries(names.map((_name, nth) => [`serve${nth}`, handle])),
    authenticators: createAuthenticators(document, tokens),
  });
  opened.push(tokens.close, close);
  const ask = async (path: string, authorization?: string) => {
    const response = await fetch(
      url + path,
      authorization === undefined ? {} : { headers: { authorization } },
    );
    const challenge = response.headers.get('www-authenticate');
    const body: unknown = await response.json();
    return { status: response.status, challenge, body };
  };
  return { ask, askWithToken: (token: string) => ask('/0', `Bearer ${token}`) };
};

const LACKING = {
  status: 403,
  challenge: 'Bearer error="insufficient_scope", scope="read:things list"',
  body: { error: 40301 },
};
const served = (name: string, ...scopes: string[]) => ({ status: 200, body: { name, scopes } });

describe('static tokens', () => {
  let ask: Awaited<ReturnType<typeof startWith>>['ask'];
  beforeAll(async () => {
    ({ ask } = await startWith({ ACCESS_TOKENS: 'none:a, some:b:list, both:c:list+read:things, every:d:*' }));
  });

  test.each([
    ['none', 'a', LACKING],
    ['some', 'b', LACKING],
    ['both', 'c', served('both', 'list', 'read:things')],
    ['every', 'd', served('every', '*')],
  ])('with %s of the scopes are answered alike by every scheme', async (name, token, answer) => {
    for (const path of ['/0', '/1', '/2']) expect(await ask(path, `Bearer ${token}`)).toMatchObject(answer);
    const { challenge: _, ...unchallenged } = { challenge: '', ...answer };
    const basic = `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`;
    expect(await ask('/3', basic)).toMatchObject({ ...unchallenged, challenge: null });
    expect(await ask(`/4?key=${token}`)).toMatchObject({ ...unchallenged, challenge: null });
  });
});

test('hasScope reports whether a principal has a scope', () => {
  const has = (...scopes: string[]): boolean => hasScope({ name: 'alice', scopes }, 'staff');
  expect([has('staff'), has('visitor', '*'), has('visitor'), has()]).toEqual([true, true, false, false]);
  expect(hasScope(undefined, 'staff')).toBe(false);
});

test('the scopes of a token file follow its changes', async () => {
  const file = join(await makeFolder(), 'tokens');
  await writeFile(file, 'alice:a:list\n');
  const { askWithToken } = await startWith({ ACCESS_TOKENS_FILE: file });
  expect(await askWithToken('a')).toMatchObject(LACKING);
  await appendFile(file, 'bob:b:list+read:things\n');
  const until = async (token: string, status: number) => {
    const since = performance.now();
    while ((await askWithToken(token)).status !== status && performance.now() - since < 10_000);
    return askWithToken(token);
  };
  expect(await until('b', 200)).toMatchObject(served('bob', 'list', 'read:things'));
  await writeFile(file, 'alice:a:*\nbob:b:list\n');
  expect(await until('a', 200)).toMatchObject(served('alice', '*'));
  expect(await until('b', 403)).toMatchObject(LACKING);
});

describe('JWTs', () => {
  const key = makeKey('key');
  let askWithToken: Awaited<ReturnType<typeof startWith>>['askWithToken'];
  beforeAll(async () => {
    const server = await startKeyServer(key);
    opened.push(server.leave);
    const settings = { JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE, JWT_JWKS_URL: server.url.href };
    ({ askWithToken } = await startWith(settings));
  });

  test.each([
    { scope: 'list read:things' },
    { scope: ' read:things  list ' },
    { scp: 'list read:things' },
    { scp: ['list', 'read:things'] },
    { roles: ['list', 'read:things'] },
    { permissions: ['list', 'read:things'] },
    { scope: 'list', permissions: ['read:things', 'list', 41] },
  ])('with the claims %j have the scopes', async (granted) => {
    const { status, body } = await askWithToken(writeToken(key, claims(granted)));
    expect([status, body]).toEqual([
      200,
      { name: 'jwt:alice', scopes: expect.arrayContaining(['list', 'read:things']) },
    ]);
    expect(JSON.stringify(body).match(/list/g)).toHaveLength(1);
  });

  test.each([
    {},
    { scope: 'list' },
    { scope: 'list,read:things' },
    { scope: '*', scp: ['*'], roles: ['*'] }, // only the owner of the service grants every scope
    { scope: 41, scp: { list: true }, roles: null },
    { roles: 'list read:things' }, // the name of one role
  ])('with the claims %j lack a scope', async (granted) => {
    expect(await askWithToken(writeToken(key, claims(granted)))).toMatchObject(LACKING);
  });

  test('that are not valid are refused with 401, whatever their scopes', async () => {
    const over = claims({ scope: 'list read:things', exp: inSeconds(-60) });
    expect(await askWithToken(writeToken(key, over))).toMatchObject({ status: 401, body: { error: 40102 } });
  });
});
