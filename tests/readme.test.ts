import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DECLARED_PROBLEMS } from '../packages/contract/src/problems/problem.ts';
import { readConfig } from '../packages/server/src/program/config.ts';
import { PRODUCT } from '../src/product.ts';
import { findAll, read, tableUnder } from './support/pages.ts';
import { CODES } from './support/problems.ts';
import { ROOT } from './support/scratch.ts';

const readme = read('README.md');
const manifest = JSON.parse(read('package.json'));

/** Pages that name files of the reader's project. */
const OF_PROJECTS = [
  'docs/tutorial/first-service.md',
  ...['cookbook', 'keep-data', 'authenticate'].map((name) => `docs/how-to/${name}.md`),
];

/** The package.json of each package, by the name of its folder. */
const packages = readdirSync(join(ROOT, 'packages')).map((name) => ({
  name,
  manifest: JSON.parse(read(`packages/${name}/package.json`)),
}));

test('the README has at most 130 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});

test('the two commands of the README are there as newcomers will type them', () => {
  const blocks = [...readme.matchAll(/```sh\n([^`]+)```/g)].map(([, block = '']) => block.trim());
  expect(blocks).toEqual(expect.arrayContaining(['npm ci && npm start', 'npm ci && npm test']));
});

test('the error tables are those in the code', () => {
  const codesUnder = (page: string, heading: string) =>
    tableUnder(page, heading).map(([code]) => Number(code));
  expect(codesUnder('docs/explanation/decisions.md', 'Errors')).toEqual(CODES);
  const declared: readonly number[] = Object.values(DECLARED_PROBLEMS);
  expect(codesUnder('docs/reference/errors.md', 'Problems of what only some operations declare')).toEqual(
    declared,
  );
  const codes = [...CODES, ...declared];
  const named = findAll(/\b([45]\d\d0\d)\b/g).filter(({ found }) => !codes.includes(Number(found)));
  expect(named).toEqual([]);
});

test('the table of settings names the defaults that are in the code', () => {
  const { port, host, workers, databaseUrl, databaseLimits, maxBodyBytes, drainMs, logLevel } = readConfig(
    {},
    PRODUCT,
  );
  const defaults = Object.fromEntries(
    tableUnder('docs/reference/settings.md', 'Every setting').map(([name = '', value = '']) => [
      name.replaceAll('`', ''),
      value.replaceAll('`', ''),
    ]),
  );
  expect(defaults).toEqual({
    PORT: `${port}`,
    HOST: host,
    WORKERS: `${workers}`,
    DATABASE_URL: databaseUrl,
    DATABASE_URL_FILE: 'none',
    DATABASE_POOL_SIZE: `${databaseLimits.poolSize}`,
    DATABASE_CONNECT_TIMEOUT_MS: `${databaseLimits.connectTimeout}`,
    DATABASE_STATEMENT_TIMEOUT_MS: `${databaseLimits.statementTimeout}`,
    ACCESS_TOKENS: 'none',
    ACCESS_TOKENS_FILE: 'none',
    JWT_ISSUER: 'none',
    JWT_AUDIENCE: 'none',
    JWT_JWKS_URL: "from the issuer's metadata",
    BASE_PATH: "the path of the contract's first server",
    CORS_ORIGINS: 'none',
    TRUST_PROXY: 'none',
    MAX_BODY_BYTES: `${maxBodyBytes}`,
    DOCS: 'on',
    DRAIN_MS: `${drainMs}`,
    LOG_LEVEL: logLevel,
    LOG_FORMAT: 'pretty on a terminal, else json',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'none',
    NODE_ENV: 'none',
  });
});

test('the table of settings names every variable that the service reads, and no other', () => {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    { get: (_, name) => void names.add(String(name)) },
  );
  readConfig(environment, PRODUCT);
  expect(
    tableUnder('docs/reference/settings.md', 'Every setting')
      .map(([name = '']) => name.replaceAll('`', ''))
      .toSorted(),
  ).toEqual([...names].toSorted());
});

test('every variable in the table of docs/how-to/trace-requests.md is read', () => {
  const sources = [
    'packages/server/src/program/tracing/settings.ts',
    'node_modules/@opentelemetry/otlp-exporter-base/build/src/configuration/otlp-node-http-env-configuration.js',
    'node_modules/@opentelemetry/otlp-exporter-base/build/src/configuration/shared-env-configuration.js',
    'node_modules/@opentelemetry/resources/build/src/detectors/EnvDetector.js',
    'node_modules/@opentelemetry/sdk-trace-base/build/src/BatchSpanProcessor-shim.js',
    'node_modules/@opentelemetry/sdk-trace-base/build/src/config.js',
  ].map(read);
  const names = tableUnder('docs/how-to/trace-requests.md', 'Settings').map(([name = '']) =>
    name.replaceAll('`', ''),
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !sources.some((source) => source.includes(name)))).toEqual([]);
});

test('every dependency has its reason, and no other is named', () => {
  const page = 'docs/reference/dependencies.md';
  const rowsUnder = (heading: string) =>
    tableUnder(page, heading).flatMap(([names = '', of = '']) =>
      names.split(', ').map((name) => ({ name, of })),
    );
  const isForeign = (name: string) => !name.startsWith('@trellis/');
  type Holder = { readonly name: string; readonly names: Readonly<Record<string, string>> };
  const needsOf = (holders: readonly Holder[]) => {
    const needs = new Map<string, string[]>();
    for (const { name, names } of holders)
      for (const each of Object.keys(names).filter(isForeign))
        needs.set(each, [...(needs.get(each) ?? []), name]);
    return needs;
  };
  const listed = (needs: ReadonlyMap<string, readonly string[]>) =>
    [...needs].map(([name, of]) => ({ name, of: of.toSorted().join(', ') })).toSorted(byName);
  const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

  const installed = needsOf(
    [...packages, { name: 'the plant store', manifest }].map(({ name, manifest: { dependencies = {} } }) => ({
      name,
      names: dependencies,
    })),
  );
  expect(rowsUnder('Dependencies').toSorted(byName)).toEqual(listed(installed));

  // Packages that are needed only for packing are bundled into it.
  const bundled = needsOf(
    packages.map(({ name, manifest: { devDependencies = {} } }) => ({ name, names: devDependencies })),
  );
  for (const name of installed.keys()) bundled.delete(name);
  expect(rowsUnder('Bundled into the packages').toSorted(byName)).toEqual(listed(bundled));

  const forDevelopment = Object.keys(manifest.devDependencies).filter(
    (name) => isForeign(name) && !installed.has(name) && !bundled.has(name),
  );
  expect(
    rowsUnder('For development')
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(forDevelopment.toSorted());
});

test('every npm command that is named exists', () => {
  const named = findAll(/npm run\s+([a-z:]+)/g);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter(({ found }) => !Object.hasOwn(manifest.scripts, found))).toEqual([]);
});

test('every file that is named exists', () => {
  const named = findAll(/`((?:src|tests|scripts|generated|docs|packages)\/[\w./-]+)`/g);
  expect(named.length).toBeGreaterThan(3);
  const ours = named.filter(({ page }) => !OF_PROJECTS.includes(page));
  expect(ours.filter(({ found }) => !existsSync(join(ROOT, found)))).toEqual([]);
});

test('the house in the README has every folder of src, and no other', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const rooms = [...readme.matchAll(/^src\/([\w-]+) /gm)].map(([, name = '']) => name);
  expect(rooms.toSorted()).toEqual(folders.toSorted());
});

test('the house in the README has every package, and no other', () => {
  const named = /^packages\/ +Trellis: (.+)$/m.exec(readme)?.[1]?.split(', ') ?? [];
  expect(named.toSorted()).toEqual(packages.map(({ name }) => name).toSorted());
});

test('the README shows the handler that the page about adding an operation has', () => {
  const handlerIn = (page: string) =>
    /^ *export const deletePlant =\n[\s\S]*?^ *};$/m.exec(read(page))?.[0].replaceAll(/^ +/gm, '');
  expect(handlerIn('README.md')).toBeDefined();
  expect(handlerIn('README.md')).toBe(handlerIn('docs/how-to/add-an-operation.md'));
});
