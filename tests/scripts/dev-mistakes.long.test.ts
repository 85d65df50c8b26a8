/** The mistakes of those who edit a contract, each after a checkout, with what `npm run dev` printed and when. */
import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyProject } from '../support/scratch.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { type DevCommand, SERVES, startDev } from './dev-command.ts';

const makeFolder = temporaryFolders();

const CONTRACT = 'openapi.yaml';
const HANDLER = 'src/handlers/create-plant.ts';

/** A second operation: it must stay served while the first is broken. */
const SECOND = `
  /things:
    get:
      operationId: listThings
      responses:
        "200": { description: All things, content: { application/json: { schema: { type: array, items: {} } } } }

`;

const TWICE = SECOND.replace('/things', '/others').replace('listThings', 'createPlant');

let folder: string;
let dev: DevCommand;
const table: string[] = [];

const git = (...args: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args], { cwd: folder });

const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const text = await readFile(join(folder, file), 'utf8');
  expect(change(text)).not.toBe(text);
  await writeFile(join(folder, file), change(text));
};

/** Waits for some texts, and gives the seconds since the call. */
const timed = async (...texts: readonly string[]): Promise<{ said: string; seconds: string }> => {
  const began = performance.now();
  const said = await dev.saying(...texts);
  return { said, seconds: ((performance.now() - began) / 1000).toFixed(1) };
};

const statusOf = async (path: string): Promise<number> => (await fetch(dev.url() + path)).status;

beforeAll(async () => {
  folder = await makeFolder();
  await copyProject(folder, ['src', 'generated', 'scripts', CONTRACT, 'package.json', 'tsconfig.json']);
  await edit(CONTRACT, (text) => text.replace(/^(?=components:)/m, SECOND));
  dev = await startDev(folder);
  await writeFile(join(folder, '.gitignore'), 'node_modules\ndist\ndata\n');
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'before the mistakes');
}, 300_000);

afterAll(async () => {
  await dev.end();
  process.stdout.write(
    ['| mistake | printed after | what | mended after |', '|---|--:|---|--:|', ...table, ''].join('\n'),
  );
});

const MISTAKES: readonly {
  readonly name: string;
  readonly make: () => Promise<void>;
  /** The last lines printed. */
  readonly until: readonly string[];
  readonly expected: RegExp;
}[] = [
  {
    name: 'bad indentation',
    make: () => edit(CONTRACT, (text) => text.replace(/^ {6}operationId/m, '     operationId')),
    until: ['is not valid YAML'],
    expected:
      /the contract is not valid; nothing has changed\n +openapi\.yaml:\d+:\d+ is not valid YAML: .*\n$/,
  },
  {
    name: 'dangling `$ref`',
    make: () => edit(CONTRACT, (text) => text.replace('schemas/NewPlant"', 'schemas/NewPlnt"')),
    until: ['does not resolve'],
    expected:
      /the contract is not valid; nothing has changed\n +openapi\.yaml:\d+:\d+ `#\/components\/schemas\/NewPlnt` \(did you mean `#\/components\/schemas\/NewPlant`\?\) does not resolve; .*\n$/,
  },
  {
    name: 'duplicate operationId',
    make: () => edit(CONTRACT, (text) => text.replace(/^(?=components:)/m, TWICE)),
    until: ['change the operationId of either'],
    expected:
      /the contract is not valid; nothing has changed\n +openapi\.yaml:\d+:\d+ GET \/others is called getOthers, because POST \/plants is called createPlant; .*\n$/,
  },
  {
    name: 'wrong reply',
    make: () => edit(HANDLER, (text) => text.replace('status: 409', 'status: 410')),
    until: ['create-plant.ts', SERVES],
    expected: /src\/handlers\/create-plant\.ts\(\d+,\d+\): error TS2322: .*410.*\n/,
  },
  {
    name: 'deleted handler',
    make: () => rm(join(folder, HANDLER)),
    until: ['is missing'],
    expected: /the handler src\/handlers\/create-plant\.ts is missing.*npm run generate/,
  },
];

test.each(MISTAKES)(
  'after a checkout, $name is reported in a line, the service keeps running, and a checkout corrects it',
  async ({ name, make, until, expected }) => {
    await make();
    const { said, seconds } = await timed(...until);
    expect(said).toMatch(expected);
    expect(await statusOf('/healthz')).toBe(200);
    expect(await statusOf('/plants')).toBe(405); // the operation is there
    git('checkout', '--quiet', '.');
    const mended = await timed(SERVES);
    expect(await statusOf('/plants')).toBe(405);
    const lines = said
      .trim()
      .split(/\s*\n\s*/)
      .map((line) => line.replace(/^[\d:]{8} +/, ''))
      .filter((line) => !line.startsWith('GET ')); // our own requests
    const cell = lines.join('<br>').replaceAll(/ \| (?:\d+ \| )*/g, ' … ');
    table.push(`| ${name} | ${seconds} s | ${cell} | ${mended.seconds} s |`);
  },
  120_000,
);

test('a handler that is saved while the contract is broken waits for the contract', async () => {
  await edit(CONTRACT, (text) => text.replace('schemas/NewPlant"', 'schemas/NewPlnt"'));
  await dev.saying('does not resolve');
  await edit(HANDLER, (text) => `${text}// edited\n`);
  expect(await dev.saying('does not resolve')).not.toContain(SERVES);
  expect(await statusOf('/plants')).toBe(405);
  git('checkout', '--quiet', '.');
  await dev.saying(SERVES);
}, 120_000);
