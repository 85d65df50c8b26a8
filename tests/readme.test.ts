import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../packages/server/src/program/config.ts';
import { readTracingSettings } from '../packages/server/src/program/tracing/settings.ts';
import { CODES } from '../scripts/plants/problems.ts';
import { PRODUCT } from '../src/product.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const readme = read('README.md');
const manifest = JSON.parse(read('package.json'));
const docs = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const pages = ['README.md', ...docs];

/** The rows of the tables under a heading of a page, as lists of cells. */
const tableUnder = (page: string, heading: string): string[][] => {
  const section = read(page).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
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

const withoutCode = (text: string): string => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** Every match of a pattern's first group in any page, with the page. */
const findAll = (pattern: RegExp, textOf = read): { page: string; found: string }[] =>
  pages.flatMap((page) =>
    [...textOf(page).matchAll(pattern)].map(([, found = '']) => ({
      page,
      found: found.replaceAll(/\s+/g, ' '),
    })),
  );

/** The anchors that GitHub makes of the headings of a page. */
const anchorsOf = (page: string): string[] =>
  [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Whether a relative link leads to a file, and to a heading of it if the link names one. */
const leadsSomewhere = ({ page, found }: { page: string; found: string }): boolean => {
  const [path = '', anchor] = found.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  return existsSync(join(ROOT, target)) && (anchor === undefined || anchorsOf(target).includes(anchor));
};

test('the README has at most 200 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
});

test('the two commands of the README are there as newcomers will type them', () => {
  const blocks = [...readme.matchAll(/```sh\n([^`]+)```/g)].map(([, block = '']) => block.trim());
  expect(blocks).toEqual(expect.arrayContaining(['npm ci && npm start', 'npm ci && npm test']));
});

test('every relative link and picture leads to a file, and to a heading if it names one', () => {
  const links = findAll(/(?:\]\(|<img src=")((?!https?:)[^)"]+)[)"]/g, (page) => withoutCode(read(page)));
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((link) => !leadsSomewhere(link))).toEqual([]);
});

test('the README leads to every page of docs', () => {
  expect(docs.filter((page) => !readme.includes(`](${page})`))).toEqual([]);
});

test('the error table is the one in the code', () => {
  const codes: readonly number[] = CODES;
  expect(tableUnder('docs/decisions.md', 'Errors').map(([code]) => Number(code))).toEqual(codes);
  const named = findAll(/\b([45]\d\d0\d)\b/g).filter(({ found }) => !codes.includes(Number(found)));
  expect(named).toEqual([]);
});

test('the table of settings names the defaults that are in the code', () => {
  const { port, host, workers, databaseUrl, databaseLimits, maxBodyBytes, drainMs, logLevel } = readConfig(
    {},
    PRODUCT,
  );
  const defaults = Object.fromEntries(
    tableUnder('README.md', 'Settings').map(([name = '', value = '']) => [
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
    tableUnder('README.md', 'Settings')
      .map(([name = '']) => name.replaceAll('`', ''))
      .toSorted(),
  ).toEqual([...names].toSorted());
});

test('the table of docs/tracing.md names every variable of tracing that is read, and no other', () => {
  const names = new Set(['OTEL_SERVICE_NAME']); // read by the library
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        names.add(String(name));
        return name === 'OTEL_EXPORTER_OTLP_ENDPOINT' ? 'http://127.0.0.1:4318' : undefined;
      },
    },
  );
  readTracingSettings(environment);
  expect(
    tableUnder('docs/tracing.md', 'Settings')
      .map(([name = '']) => name.replaceAll('`', ''))
      .toSorted(),
  ).toEqual([...names].toSorted());
});

test('every dependency has its reason, and no other is named', () => {
  const namesUnder = (heading: string) =>
    tableUnder('docs/dependencies.md', heading)
      .flatMap(([names = '']) => names.split(', '))
      .toSorted();
  expect(namesUnder('Dependencies')).toEqual(Object.keys(manifest.dependencies).toSorted());
  expect(namesUnder('For development')).toEqual(Object.keys(manifest.devDependencies).toSorted());
});

test('every npm command that is named exists', () => {
  const named = findAll(/npm run\s+([a-z:]+)/g);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter(({ found }) => !Object.hasOwn(manifest.scripts, found))).toEqual([]);
});

test('every file that is named exists', () => {
  const named = findAll(/`((?:src|tests|scripts|generated|docs)\/[\w./-]+)`/g);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter(({ found }) => !existsSync(join(ROOT, found)))).toEqual([]);
});

test('the house in the README has every folder of src, and no other', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const rooms = [...readme.matchAll(/^src\/([\w-]+) /gm)].map(([, name = '']) => name);
  expect(rooms.toSorted()).toEqual(folders.toSorted());
});
