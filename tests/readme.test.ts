import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROBLEMS } from '../src/contract/problems/problem.ts';
import { readConfig } from '../src/program/config.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The rows of the table under a heading, as lists of cells. */
const tableUnder = (heading: string): string[][] => {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
};

test('the two commands of the README are there as newcomers will type them', () => {
  const blocks = [...readme.matchAll(/```sh\n([^`]+)```/g)].map(([, block = '']) => block.trim());
  expect(blocks).toEqual(expect.arrayContaining(['npm ci && npm start', 'npm ci && npm test']));
});

test('the error table is the one in the code', () => {
  expect(tableUnder('Errors').map(([code]) => Number(code))).toEqual(Object.values(PROBLEMS));
});

test('the configuration table names the defaults that are in the code', () => {
  const { port, host, databaseUrl, databaseLimits, maxBodyBytes, drainMs, logLevel } = readConfig({});
  const defaults = Object.fromEntries(
    tableUnder('Configuration').map(([name = '', value = '']) => [
      name.replaceAll('`', ''),
      value.replaceAll('`', ''),
    ]),
  );
  expect(defaults).toEqual({
    PORT: `${port}`,
    HOST: host,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: `${databaseLimits.poolSize}`,
    DATABASE_CONNECT_TIMEOUT_MS: `${databaseLimits.connectTimeout}`,
    DATABASE_STATEMENT_TIMEOUT_MS: `${databaseLimits.statementTimeout}`,
    ACCESS_TOKENS: 'none',
    ACCESS_TOKENS_FILE: 'none',
    JWT_ISSUER: 'none',
    JWT_AUDIENCE: 'none',
    JWT_JWKS_URL: 'none',
    MAX_BODY_BYTES: `${maxBodyBytes}`,
    DRAIN_MS: `${drainMs}`,
    LOG_LEVEL: logLevel,
  });
});

test('every dependency has its reason, and no other is named', () => {
  expect(
    tableUnder('Dependencies')
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(Object.keys(manifest.dependencies).toSorted());
  const section = readme.split('\n## Dependencies\n')[1] ?? '';
  const names: string[] = Object.keys(manifest.devDependencies);
  expect(names.filter((name) => !section.includes(name))).toEqual([]);
});

test('every npm command that is named exists', () => {
  const named = [...readme.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
});

test('every file that is named exists', () => {
  const named = [...readme.matchAll(/`((?:src|tests|scripts|generated)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
