import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { environmentElsewhere } from '../packages/create/src/npm.ts';
import { read } from '../packages/server/tests/support/service.ts';
import { startProcess } from '../scripts/support/service.ts';
import { post } from './service/support/service.ts';
import { temporaryFolders } from './support/temporary.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const makeFolder = temporaryFolders();

const run = (cwd: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, {
    cwd,
    env: environmentElsewhere(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

let tarball = '';
let packed: string[] = [];
let consumer = '';

/** The installed command. */
const CLI = () => join(consumer, 'node_modules/.bin/plant-store');

/** Packed from a copy of the sources: other tests run the files in dist/, and packing rebuilds them. */
beforeAll(async () => {
  const copy = await makeFolder();
  for (const name of [
    'package.json',
    'tsconfig.json',
    'openapi.yaml',
    'README.md',
    'LICENSE',
    'docs',
    'src',
    'generated',
    'scripts',
    'packages',
    'tests',
  ])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  run(copy, 'npm', 'pack', '--silent');
  tarball = join(copy, run(copy, 'sh', '-c', 'ls *.tgz').trim());
  packed = run(copy, 'tar', '-tzf', tarball).trim().split('\n');

  consumer = await makeFolder();
  writeFileSync(join(consumer, 'package.json'), '{"type":"module"}');
  run(consumer, 'npm', 'install', '--silent', '--prefer-offline', '--no-audit', '--no-fund', tarball);
}, 300_000);

test('the package holds the built programs, the files that they read, and the docs', () => {
  const others = packed.filter(
    (name) =>
      !/^package\/(dist\/bin\/([\w.-]+\.js|LICENSES\.txt)|dist\/(openapi\.yaml|package\.json)|docs\/[\w/.-]+|package\.json|README\.md|LICENSE)$/.test(
        name,
      ),
  );
  expect(others).toEqual([]);
  expect(packed).toEqual(
    expect.arrayContaining([
      'package/dist/bin/cli.js',
      'package/dist/bin/contract-tests.js',
      'package/dist/bin/thread.js',
      'package/dist/openapi.yaml',
      'package/docs/deploy/Dockerfile',
    ]),
  );
  const licences = run(consumer, 'tar', '-xzOf', tarball, 'package/dist/bin/LICENSES.txt');
  for (const name of ['express', 'ajv', 'pg', 'preact', 'micromark', 'fast-check'])
    expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
});

test('installed into an empty folder, npx plant-store tells its version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(run(consumer, 'npx', 'plant-store', '--version')).toBe(`${version}\n`);
});

test('there it serves without any set-up, and exports the created plants', async () => {
  const service = await startProcess(consumer, {}, CLI());
  const token = readFileSync(join(consumer, 'data/access-token'), 'utf8').trim();
  const plant = '{"id":9223372036854775807,"name":"Monstera deliciosa","tag":"tropical"}';
  const reply = await read(post(service, plant, { authorization: `Bearer ${token}` }));
  expect(await service.end()).toBe(0);
  expect(reply).toEqual({ status: 200, body: { name: 'Monstera deliciosa', tag: 'tropical' } });
  expect(run(consumer, 'npx', 'plant-store', 'export')).toBe(`${plant}\n`);
});

test('its contract tests test a running service, and start one if they get no address', async () => {
  const service = await startProcess(consumer, { ACCESS_TOKENS: 's3cret', DATABASE_URL: 'memory:' }, CLI());
  const test = async (...flags: string[]) =>
    promisify(execFile)('npx', ['plant-store', 'test', ...flags, '--requests', '5'], {
      cwd: consumer,
      env: environmentElsewhere(),
    });
  const { stdout } = await test(service.url, '--token', 's3cret').finally(service.end);
  expect(stdout).toMatch(`/plant-store/dist/openapi.yaml against ${service.url}`);
  expect(stdout).toContain('The service keeps its contract.');
  expect((await test()).stdout).toContain('The service keeps its contract.');
}, 120_000);
