import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { until } from '@trellis/test-support/postgres/conditions';
import { ROOT, TRELLIS } from '@trellis/test-support/scratch';
import { temporaryFolders } from '@trellis/test-support/temporary';

const makeFolder = temporaryFolders();

let folder: string;
const at = (name: string): string => join(folder, name);
const write = async (name: string, text: string): Promise<void> => {
  await mkdir(dirname(at(name)), { recursive: true });
  await writeFile(at(name), text);
};

const launch = () => {
  const child = spawn(process.execPath, [...TRELLIS, 'build'], {
    cwd: folder,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  const ended = once(child, 'close');
  return { child, ended, said: () => said };
};

/** Builds, and returns the output. */
const build = async (code = 0): Promise<string> => {
  const { child, ended, said } = launch();
  await ended;
  expect([child.exitCode, said()]).toEqual([code, expect.anything()]);
  return said();
};

const builtIn = (name: string): Promise<string> => readFile(at(name), 'utf8');
const drafts = (): string[] => readdirSync(folder).filter((name) => name.startsWith('.dist-'));

/** The smallest project that has all that is built. */
beforeAll(async () => {
  folder = await makeFolder();
  await symlink(join(ROOT, 'node_modules'), at('node_modules'));
  const settings = {
    compilerOptions: { target: 'ES2023', module: 'NodeNext', types: [], noEmit: true },
    include: ['src'],
  };
  await write('tsconfig.json', JSON.stringify(settings));
  await write('package.json', '{"name":"small","version":"1.0.0","type":"module"}');
  await write('package-lock.json', '{}');
  await write('openapi.yaml', 'openapi: 3.1.0\n');
  await write('src/cli.ts', 'export {};\n');
  await write('src/gone.ts', 'export {};\n');
  await write('src/main.ts', "console.log('one');\nexport {};\n");
});

test('a build runs once, and again after a change', async () => {
  expect(await build()).toMatch(/^building dist: there is no whole build\nbuilt in .* s\n$/);
  expect(await builtIn('dist/bin/main.js')).toContain('one');
  expect(JSON.parse(await builtIn('dist/package.json'))).toEqual({
    name: 'small',
    version: '1.0.0',
    type: 'module',
  });
  expect(await builtIn('dist/openapi.yaml')).toBe(await readFile(at('openapi.yaml'), 'utf8'));
  expect(await build()).toBe('dist is up to date\n');

  await write('src/main.ts', "console.log('two');\nexport {};\n");
  await rm(at('src/gone.ts'));
  expect(await build()).toMatch(
    /^building dist: src\/gone\.ts and 1 more changed\n|^building dist: src\/main\.ts and 1 more changed\n/,
  );
  expect(await builtIn('dist/bin/main.js')).toContain('two');
  expect(await build()).toBe('dist is up to date\n');
}, 120_000);

test.each(['openapi.yaml', 'package-lock.json'])(
  'a changed %s builds anew',
  async (name) => {
    await write(name, `${await readFile(at(name), 'utf8')}\n`);
    expect(await build()).toContain(`building dist: ${name} changed\n`);
  },
  120_000,
);

test('a build that lacks a file, or was altered, is not taken for whole', async () => {
  await rm(at('dist/bin/cli.js'));
  expect(await build()).toContain('there is no whole build');
  expect(existsSync(at('dist/bin/cli.js'))).toBe(true);
}, 120_000);

test('a type error or a killed build leaves the previous build unchanged', async () => {
  await write('src/main.ts', "console.log('three');\nexport const wrong: number = 'text';\n");
  expect(await build(1)).toContain('src/main.ts(2,14): error TS2322');
  expect(await builtIn('dist/bin/main.js')).toContain('two');
  expect(drafts()).toEqual([]);

  await write('src/main.ts', "console.log('four');\nexport {};\n");
  const { child, ended } = launch();
  await until('a draft is begun', async () => drafts()[0]);
  child.kill('SIGKILL');
  await ended;
  expect(await builtIn('dist/bin/main.js')).toContain('two');
  expect(await build()).toContain('src/main.ts changed');
  expect(await builtIn('dist/bin/main.js')).toContain('four');
  expect(drafts()).toEqual([]);
}, 120_000);

test('two builds at once leave one that is whole', async () => {
  await write('src/main.ts', "console.log('five');\nexport {};\n");
  await Promise.all([build(), build()]);
  expect(await builtIn('dist/bin/main.js')).toContain('five');
  expect(await build()).toBe('dist is up to date\n');
  expect(drafts()).toEqual([]);
}, 120_000);
