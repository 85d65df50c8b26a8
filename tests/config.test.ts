import { readConfig } from '../src/config.ts';

test('every setting has a default that serves', () => {
  expect(readConfig({})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    databaseUrl: 'sqlite:data/plants.db',
    databaseLimits: { poolSize: 4, connectTimeout: 2000, statementTimeout: 5000 },
    accessTokens: [],
    maxBodyBytes: 102_400,
    logLevel: 'info',
    production: false,
  });
});

test('every setting can be set', () => {
  const environment = {
    PORT: '8080',
    HOST: '0.0.0.0',
    DATABASE_URL: 'memory:',
    DATABASE_POOL_SIZE: '9',
    DATABASE_CONNECT_TIMEOUT_MS: '10',
    DATABASE_STATEMENT_TIMEOUT_MS: '20',
    ACCESS_TOKENS: 'alice:abc, bob : de:f=, ghi',
    MAX_BODY_BYTES: '1000',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
  };
  expect(() => readConfig(environment)).toThrow('ACCESS_TOKENS: entry 2 is no bearer token');
  expect(readConfig({ ...environment, ACCESS_TOKENS: 'alice:abc, bob : def=, ghi' })).toEqual({
    port: 8080,
    host: '0.0.0.0',
    databaseUrl: 'memory:',
    databaseLimits: { poolSize: 9, connectTimeout: 10, statementTimeout: 20 },
    accessTokens: [
      { name: 'alice', token: 'abc' },
      { name: 'bob', token: 'def=' },
      { name: 'token-3', token: 'ghi' },
    ],
    maxBodyBytes: 1000,
    logLevel: 'warn',
    production: true,
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', ACCESS_TOKENS: '' })).toEqual(readConfig({}));
});

test.each(['-1', '65536', '3000.5', '0x10', ' 80', '1e3', 'NaN', '9'.repeat(20)])(
  'a PORT of "%s" is refused',
  (PORT) => {
    expect(() => readConfig({ PORT })).toThrow(`PORT must be a whole number from 0 to 65535, not "${PORT}"`);
  },
);

test('one token under two names is refused, since revoking one would not revoke it', () => {
  expect(() => readConfig({ ACCESS_TOKENS: 'alice:abc,bob:abc' })).toThrow(
    'ACCESS_TOKENS: the same token stands there twice; give each name its own',
  );
});

test.each(['alice:', ',', 'a b', 'alice:ünï'])(
  'ACCESS_TOKENS of "%s" is refused without repeating it',
  (text) => {
    expect(() => readConfig({ ACCESS_TOKENS: text })).toThrow(
      /^ACCESS_TOKENS: entry 1 is no bearer token; use letters/,
    );
  },
);
