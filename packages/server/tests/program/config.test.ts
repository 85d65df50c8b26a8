import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { readConfig as readConfigOf } from '../../src/program/config.ts';

const makeFolder = temporaryFolders();

const PRODUCT = { databaseUrl: 'sqlite:data/things.db' };
const readConfig = (environment: Readonly<Record<string, string | undefined>>) =>
  readConfigOf(environment, PRODUCT);

test('every setting has a default that serves', () => {
  expect(readConfig({})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    workers: 1,
    databaseUrl: PRODUCT.databaseUrl,
    databaseLimits: { poolSize: 4, connectTimeout: 2000, statementTimeout: 5000 },
    accessTokens: [],
    accessTokensFile: undefined,
    jwt: undefined,
    maxBodyBytes: 102_400,
    logLevel: 'info',
    logFormat: undefined,
    basePath: undefined,
    corsOrigins: [],
    trustProxy: [],
    drainMs: 300,
    production: false,
    showsContract: true,
    tracing: false,
  });
});

test('every setting can be set', () => {
  const environment = {
    PORT: '8080',
    HOST: '0.0.0.0',
    WORKERS: '3',
    DATABASE_URL: 'memory:',
    DATABASE_POOL_SIZE: '9',
    DATABASE_CONNECT_TIMEOUT_MS: '10',
    DATABASE_STATEMENT_TIMEOUT_MS: '20',
    ACCESS_TOKENS: 'alice:abc, bob : de f=, ghi',
    ACCESS_TOKENS_FILE: 'tokens.txt',
    JWT_ISSUER: 'https://issuer.example/',
    JWT_AUDIENCE: 'https://api.example',
    JWT_JWKS_URL: 'https://issuer.example/jwks.json',
    MAX_BODY_BYTES: '1000',
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'pretty',
    BASE_PATH: '/api/v1',
    CORS_ORIGINS: 'https://app.example, http://localhost:5173',
    TRUST_PROXY: 'loopback, 10.0.0.7,fd00::/8',
    DRAIN_MS: '5000',
    DOCS: 'off',
    NODE_ENV: 'production',
  };
  expect(() => readConfig(environment)).toThrow('ACCESS_TOKENS: entry 2 is no bearer token');
  expect(
    readConfig({ ...environment, ACCESS_TOKENS: 'alice:abc, bob : def=, ghi, carol:jkl:read:all+write' }),
  ).toEqual({
    port: 8080,
    host: '0.0.0.0',
    workers: 3,
    databaseUrl: 'memory:',
    databaseLimits: { poolSize: 9, connectTimeout: 10, statementTimeout: 20 },
    accessTokens: [
      { name: 'alice', token: 'abc' },
      { name: 'bob', token: 'def=' },
      { name: 'token-3', token: 'ghi' },
      { name: 'carol', token: 'jkl', scopes: ['read:all', 'write'] },
    ],
    accessTokensFile: 'tokens.txt',
    jwt: {
      issuer: 'https://issuer.example/',
      audience: 'https://api.example',
      jwksUrl: new URL('https://issuer.example/jwks.json'),
    },
    maxBodyBytes: 1000,
    logLevel: 'warn',
    logFormat: 'pretty',
    basePath: '/api/v1',
    corsOrigins: ['https://app.example', 'http://localhost:5173'],
    trustProxy: ['loopback', '10.0.0.7', 'fd00::/8'],
    drainMs: 5000,
    production: true,
    showsContract: false,
    tracing: false,
  });
});

test('the URL of the store may be in a file, which keeps its password out of the environment', async () => {
  const file = join(await makeFolder(), 'database-url');
  await writeFile(file, 'postgres://user:secret@host/name\n');
  expect(readConfig({ DATABASE_URL_FILE: file, DATABASE_URL: '' })).toMatchObject({
    databaseUrl: 'postgres://user:secret@host/name',
  });
  expect(() => readConfig({ DATABASE_URL_FILE: file, DATABASE_URL: 'memory:' })).toThrow(
    'DATABASE_URL and DATABASE_URL_FILE are both set; unset one of them',
  );
  expect(() => readConfig({ DATABASE_URL_FILE: `${file}-gone` })).toThrow(
    'DATABASE_URL_FILE: the file cannot be read: ENOENT',
  );
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', ACCESS_TOKENS: '' })).toEqual(readConfig({}));
});

test.each<[name: string, texts: readonly string[], reason: string]>([
  ['DOCS', ['yes', 'ON', '1'], 'DOCS must be one of on, off, not "%s"'],
  ['MAX_BODY_BYTES', ['0'], 'MAX_BODY_BYTES must be a whole number from 1 to 1073741824, not "%s"'],
  ['LOG_LEVEL', ['loud'], 'fatal, error, warn, info, debug, trace, silent, not "%s"'],
  ['LOG_FORMAT', ['xml'], 'LOG_FORMAT must be one of json, pretty, not "%s"'],
  [
    'PORT',
    ['http', '-1', '65536', '3000.5', '0x10', ' 80', '1e3', 'NaN', '9'.repeat(20)],
    'PORT must be a whole number from 0 to 65535, not "%s"',
  ],
  ['WORKERS', ['0', '257', 'all'], 'WORKERS must be a whole number from 1 to 256 or `auto`, not "%s"'],
  ['DRAIN_MS', ['-1', '600001', '0.5', '1s'], 'DRAIN_MS must be a whole number from 0 to 600000, not "%s"'],
  [
    'BASE_PATH',
    [
      'v1',
      '//v1',
      '/v1//',
      '/a/../b',
      '/./a',
      '/a/..',
      '/a?b',
      '/a#b',
      '/a b',
      '/{v}',
      '/%zz',
      'https://a/v1',
    ],
    'BASE_PATH must be a path such as /v1, or / for none, not "%s"',
  ],
  [
    'CORS_ORIGINS',
    [
      ...['app.example', 'https://app.example/', 'https://app.example/path', 'https://a.example,*'],
      ...['https://*.example', 'https://user@app.example', 'https://app.example:99999', 'null'],
      'https://a.example,',
    ],
    'CORS_ORIGINS must be * alone, or origins such as https://app.example, separated by commas, not "%s"',
  ],
  [
    'TRUST_PROXY',
    ['proxy.example', '10.0.0.7, true', '10.0.0.0/33', '0.0.0.0/0', '::1/129', '10.0.0', '1', 'loopback,'],
    'TRUST_PROXY must be addresses such as 10.0.0.7, ranges such as 10.0.0.0/8, loopback, linklocal, uniquelocal, separated by commas, not "%s"',
  ],
])('%s is refused with the entry that is wrong, and with what may be set', (name, texts, reason) => {
  for (const text of texts) {
    const entry = text.split(',').at(-1)?.trim() ?? '';
    expect(() => readConfig({ [name]: text })).toThrow(
      reason.replace('%s', () => (reason.includes('commas') ? entry : text)),
    );
  }
});

test.each(['/', '/v1', '/v1/', '/a/b.c/~d', '/caf%C3%A9'])('a BASE_PATH of "%s" is taken', (BASE_PATH) => {
  expect(readConfig({ BASE_PATH })).toMatchObject({ basePath: BASE_PATH });
});

test.each([
  ['*', ['*']],
  ['HTTPS://App.Example:443', ['https://app.example']],
  ['http://[::1]:8080,http://münchen.example', ['http://[::1]:8080', 'http://xn--mnchen-3ya.example']],
  ['capacitor://localhost', ['capacitor://localhost']],
])('CORS_ORIGINS of "%s" are compared as browsers send them: %j', (CORS_ORIGINS, corsOrigins) => {
  expect(readConfig({ CORS_ORIGINS })).toMatchObject({ corsOrigins });
});

const HASH = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'; // of abc, FIPS 180-4

test('a token may be given as its SHA-256', () => {
  const { accessTokens } = readConfig({
    ACCESS_TOKENS: `alice:sha256:${HASH.toUpperCase()},sha256:${'0'.repeat(64)}`,
  });
  expect(accessTokens).toEqual([
    { name: 'alice', sha256: HASH },
    { name: 'token-2', sha256: '0'.repeat(64) },
  ]);
});

test.each([
  ['alice:abc:read', { name: 'alice', token: 'abc', scopes: ['read'] }],
  [
    'alice:abc:read:things+https://id.example/write',
    { name: 'alice', token: 'abc', scopes: ['read:things', 'https://id.example/write'] },
  ],
  ['alice:abc:*', { name: 'alice', token: 'abc', scopes: ['*'] }],
  [':abc:read', { name: 'token-1', token: 'abc', scopes: ['read'] }],
  [`alice:sha256:${HASH}:read+write`, { name: 'alice', sha256: HASH, scopes: ['read', 'write'] }],
  [`sha256:${HASH}:read:all`, { name: 'token-1', sha256: HASH, scopes: ['read:all'] }],
  ['abc', { name: 'token-1', token: 'abc' }],
  ['alice:sha256', { name: 'alice', token: 'sha256' }],
])('scopes follow the token after a colon: %s', (ACCESS_TOKENS, entry) => {
  expect(readConfig({ ACCESS_TOKENS }).accessTokens).toEqual([entry]);
});

test.each([
  'alice:abc:',
  'alice:abc:read++write',
  'alice:abc:+',
  'alice:abc:a b',
  'alice:abc:ünï',
  'a:b:"c"',
  `a:sha256:${HASH}:`,
])('ACCESS_TOKENS of "%s" is refused for its scopes', (ACCESS_TOKENS) => {
  expect(() => readConfig({ ACCESS_TOKENS: `x:y,${ACCESS_TOKENS}` })).toThrow(
    /^ACCESS_TOKENS: entry 2 has no valid scopes after its token; join them with \+ as in name:token:read\+write/,
  );
});

test.each(['alice:abc,bob:abc', `alice:abc,bob:sha256:${HASH}`])(
  'one token under two names is refused, since revoking one would not revoke it: %s',
  (ACCESS_TOKENS) => {
    expect(() => readConfig({ ACCESS_TOKENS })).toThrow(
      'ACCESS_TOKENS: entry 2 has the token of another entry; give each name its own',
    );
  },
);

test.each([
  'alice:',
  ',',
  'a b',
  'alice:ünï',
  'sha256:abc',
  'a:SHA256:abc',
  `a:b:sha256:${HASH}`,
  `SHA256:${HASH}0`,
])('ACCESS_TOKENS of "%s" is refused without repeating it', (text) => {
  expect(() => readConfig({ ACCESS_TOKENS: text })).toThrow(
    /^ACCESS_TOKENS: entry 1 is no bearer token; use letters/,
  );
});

const JWT = { JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', JWT_JWKS_URL: 'http://127.0.0.1:8080/jwks.json' };

test.each([
  ['JWT_ISSUER', { ...JWT, JWT_ISSUER: '' }],
  ['JWT_AUDIENCE', { ...JWT, JWT_AUDIENCE: undefined }],
  ['JWT_AUDIENCE', { JWT_ISSUER: 'https://issuer.example' }],
  ['JWT_ISSUER and JWT_AUDIENCE', { JWT_JWKS_URL: JWT.JWT_JWKS_URL }],
])('JWTs without %s are refused', (missing, environment) => {
  expect(() => readConfig(environment)).toThrow(`${missing} must be set too`);
});

test('without JWT_JWKS_URL the keys are looked for at the issuer', () => {
  const [issuer, audience] = ['https://issuer.example/realms/one', 'a'];
  expect(readConfig({ JWT_ISSUER: issuer, JWT_AUDIENCE: audience }).jwt).toEqual({ issuer, audience });
});

test.each([
  'i',
  'file:///etc',
  'https://user:hunter2@issuer.example',
  'https://issuer.example/?a=b',
  'https://issuer.example#a',
])('a JWT_ISSUER of "%s" has no metadata, and takes a JWT_JWKS_URL', (JWT_ISSUER) => {
  expect(readConfig({ ...JWT, JWT_ISSUER }).jwt).toMatchObject({ issuer: JWT_ISSUER });
  expect(() => readConfig({ ...JWT, JWT_ISSUER, JWT_JWKS_URL: '' })).toThrow(
    /^JWT_ISSUER must be an https:\/\/ or http:\/\/ URL, .*; or set JWT_JWKS_URL$/,
  );
});

test.each(['issuer.example', 'file:///etc/jwks.json', 'https://user:hunter2@issuer.example', 'https://'])(
  'a JWT_JWKS_URL of "%s" is refused without repeating it',
  (JWT_JWKS_URL) => {
    expect(() => readConfig({ ...JWT, JWT_JWKS_URL })).toThrow(
      /^JWT_JWKS_URL must be an https:\/\/ or http:\/\/ URL, without a user or a password$/,
    );
  },
);
