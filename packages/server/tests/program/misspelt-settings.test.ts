import { findMisspelt } from '../../src/program/misspelt-settings.ts';

test.each([
  ['PROT', 'PORT'],
  ['PORTT', 'PORT'],
  ['port', 'PORT'],
  ['HOTS', 'HOST'],
  ['WORKER', 'WORKERS'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['LOG-LEVEL', 'LOG_LEVEL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['ACCESS_TOKEN', 'ACCESS_TOKENS'],
  ['ACCESS_TOKEN_FILE', 'ACCESS_TOKENS_FILE'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['MAX_BODY_BYTE', 'MAX_BODY_BYTES'],
  ['NODE_EVN', 'NODE_ENV'],
])('%s looks like %s', (name, meant) => {
  expect(findMisspelt({ [name]: '1' })).toEqual([`${name} is not a setting; did you mean ${meant}?`]);
});

test('settings, empty variables and what others read look like nothing', () => {
  const foreign =
    `PATH HOME USER LOGNAME SHELL SHLVL PWD OLDPWD LANG LC_ALL TERM TZ MAIL EDITOR HOSTNAME HOSTTYPE OSTYPE
    POST COST PATCH DOCKER_HOST PGHOST PGPORT NODE_OPTIONS NODE_PATH npm_config_port npm_package_name CI DEBUG NO_COLOR
    KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP_PORT THING_STORE_SERVICE_PORT REDIS_URL
    INVOCATION_ID JOURNAL_STREAM CREDENTIALS_DIRECTORY STATE_DIRECTORY OTEL_SERVICE_NAME http_proxy`.split(
      /\s+/,
    );
  expect(findMisspelt(Object.fromEntries(foreign.map((name) => [name, '1'])))).toEqual([]);
  expect(findMisspelt({ PORT: '3000', DATABASE_URL_FILE: '/x', PROT: '', HOTS: undefined })).toEqual([]);
});
