import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { read } from './support/pages.ts';
import { compileSamples, FROM_SOURCES, runSample, writeSamples } from './support/samples.ts';
import { ROOT } from './support/scratch.ts';
import { temporaryFolders } from './support/temporary.ts';

const makeFolder = temporaryFolders();

/** The blocks of TypeScript in a page. */
const samplesOf = (page: string): string[] =>
  [...read(page).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, sample = '']) => sample);

const sampleOf = (page: string): string => samplesOf(page)[0] ?? '';

/** The output of the sample in the README of each package. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  client: /^200 \{ id: 9007199254740993n, name: 'Fern' \}\n$/,
  contract: /^200 \{"text":"Hello, Fern!"\}\n400 /,
  'contract-tests': /# pass [1-9][\s\S]*# fail 0/,
  create: /^generated\/openapi\.ts written[\s\S]*\n0 import \{ stub \}[\s\S]*Handler<'listThings'>/,
  data: /^\{ id: 9007199254740993n, owner: 'Ada' \}\n$/,
  openapi: /^3\.1\.0\n.*"maximum":9223372036854775807\}\nGET \/things listThings\n$/,
  outbox: /^\{ order: 7 \}\n$/,
  reference: /^\d{6} characters in /,
  server: /^200 \{"text":"Hello, Fern!"\}\n401\n$/,
};
const NAMES = Object.keys(PRINTED);

/** The sample for mounting stands in `src`; the imports of another folder lead there, too. */
const mounting = sampleOf('docs/how-to/use-express.md').replaceAll("from './", `from '${ROOT}src/`);
/** The sample for testing a handler stands in `src`, too. */
const handling = sampleOf('docs/how-to/test-a-handler.md')
  .replaceAll("from './", `from '${ROOT}src/`)
  .replaceAll("from '../", `from '${ROOT}`);
const callings = samplesOf('docs/reference/client.md')
  .map((sample) => sample.replaceAll("from '../", `from '${ROOT}`))
  .map((sample) => sample.replace(/^const client = /m, 'export const client = ')) // some only make one
  .filter((sample) => !/watchSales|sendBody/.test(sample)); // a test of the client compiles those
const [calling = ''] = callings;
/** The authenticators of docs/how-to/authenticate.md; its first block is how they are given to `serve`. */
const [, ...authenticators] = samplesOf('docs/how-to/authenticate.md');

const compression = samplesOf('docs/how-to/use-express.md').at(-1) ?? '';
const backgrounds = samplesOf('docs/how-to/background-work.md');

let folder = '';
beforeAll(async () => {
  folder = await makeFolder();
  const packages = NAMES.map((name) => [`${name}.ts`, sampleOf(`packages/${name}/README.md`)]);
  await writeSamples(folder, {
    ...Object.fromEntries(packages),
    ...Object.fromEntries(authenticators.map((code, nth) => [`authenticate-${nth}.ts`, code])),
    'mount.ts': mounting,
    'handler.ts': handling,
    'compression.ts': compression,
    ...Object.fromEntries(backgrounds.map((code, nth) => [`background-${nth}.ts`, code])),
    ...Object.fromEntries(callings.map((sample, index) => [`call${index}.ts`, sample])),
    'wrong.ts': calling.replace('9007199254740993n', '9007199254740993'),
    'less.ts': mounting.replace(/.*createHandlers.*\n/g, ''),
  });
});

test('the samples of the READMEs and of the guides compile', () => {
  const calls = callings.map((_, index) => `call${index}`);
  const authenticate = authenticators.map((_, nth) => `authenticate-${nth}`);
  const background = backgrounds.map((_, nth) => `background-${nth}`);
  const files = [...NAMES, ...authenticate, 'mount', 'handler', 'compression', ...background, ...calls].map(
    (name) => `${name}.ts`,
  );
  expect(compileSamples(folder, files)).toEqual([]);
}, 120_000);

test('a sample with a number in place of an int64, or without its handlers, does not compile', () => {
  expect(compileSamples(folder, ['wrong.ts', 'less.ts'])).toEqual([
    expect.stringMatching(/^less\.ts: [\s\S]*'handlers' is missing/),
    expect.stringMatching(/^wrong\.ts: Type 'number' is not assignable to type 'bigint'/),
  ]);
}, 120_000);

test.each(Object.entries(PRINTED))(
  'the sample in the README of %s runs verbatim',
  async (name, printed) => expect(await runSample(folder, `${name}.ts`)).toMatch(printed),
  150_000,
);

test(
  'the sample for testing a handler passes',
  async () => expect(await runSample(folder, 'handler.ts')).toMatch(/# pass 1[\s\S]*# fail 0/),
  60_000,
);

test('the sample for mounting serves the plants under a path', async () => {
  const child = spawn(process.execPath, [...FROM_SOURCES, join(folder, 'mount.ts')], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  try {
    const [shown] = await once(child.stdout, 'data');
    const url = `http://127.0.0.1:${/port: (\d+)/.exec(`${shown}`)?.[1]}/store/plants`;
    const reply = await fetch(url, {
      method: 'POST',
      headers: { authorization: 'Bearer s3cret', 'content-type': 'application/json' },
      body: '{"id":41,"name":"Fern"}',
    });
    expect([reply.status, await reply.text()]).toEqual([200, '{"name":"Fern"}']);
  } finally {
    child.kill();
    await closed;
  }
}, 60_000);
