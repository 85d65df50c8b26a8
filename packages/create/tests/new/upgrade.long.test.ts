/**
 * One project as its owner has it: made by the installed command, installed by npm from its lock file, started, tested,
 * checked and upgraded.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { INSTALLED, packPackages, tarballsIn } from '../../../../scripts/pack/pack.ts';
import { startProcess } from '../../../../scripts/support/service.ts';
import { startDev } from '../../../../tests/scripts/dev-command.ts';
import { startCollector } from '../../../../tests/service/support/collector.ts';
import { environmentElsewhere } from '../../src/npm.ts';

import.meta.jest.setTimeout(300_000);

const makeFolder = temporaryFolders();

const run = (cwd: string, command: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: environmentElsewhere(),
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
};
const PASSED = (text: string) => ({ status: 0, output: expect.stringContaining(text) });

const QUIETLY = ['--prefer-offline', '--no-audit', '--no-fund'];

let packed = '';
let project = '';
const read = (file: string): string => readFileSync(join(project, file), 'utf8');

beforeAll(async () => {
  packed = await packPackages();
  const parent = await makeFolder();
  project = join(parent, 'to-do');
  writeFileSync(join(parent, 'package.json'), '{ "private": true }');
  const tarballs = tarballsIn(packed).map((name) => join(packed, name));
  expect(run(parent, 'npm', 'install', ...QUIETLY, '--ignore-scripts', ...tarballs)).toMatchObject({
    status: 0,
  });
  const spec = fileURLToPath(new URL('documents/to-do.yaml', import.meta.url));
  expect(run(parent, 'npx', 'trellis', 'new', 'to-do', '--spec', spec)).toEqual(PASSED('4 operations'));
  expect(run(project, 'npm', 'ci', ...QUIETLY)).toMatchObject({ status: 0 });
});

/** The size of a folder on disk, in MB like `du -m`. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => lstatSync(join(entry.parentPath, entry.name)).blocks / 2048)
    .reduce((sum, size) => sum + size, 0);

test('npm installs at most 120 packages, of less than 110 MB', () => {
  const size = sizeOf(join(project, 'node_modules'));
  const installed = Object.keys(JSON.parse(read('node_modules/.package-lock.json')).packages).length;
  console.log(`node_modules: ${installed} packages, ${size.toFixed(0)} MB`);
  expect(size).toBeGreaterThan(50);
  expect(size).toBeLessThan(110);
  expect(installed).toBeLessThanOrEqual(120);
});

test('its tests pass', () => {
  const began = performance.now();
  expect(run(project, 'npm', 'test')).toEqual(PASSED('pass 30'));
  console.log(`npm test: ${((performance.now() - began) / 1000).toFixed(1)} s`);
});

test('it serves the built files', async () => {
  expect(run(project, 'npm', 'run', 'build')).toMatchObject({ status: 0 });
  const service = await startProcess(
    project,
    { ACCESS_TOKENS: 'alice:s3cret' },
    join(project, 'dist/bin/cli.js'),
  );
  const reply = await fetch(`${service.url}/lists/errands/tasks`, { headers: { 'x-app-key': 's3cret' } });
  expect(reply.status).toBe(200);
  expect((await fetch(`${service.url}/docs/reference.js`)).status).toBe(200);
  expect(await service.end()).toBe(0);
});

test('it sends traces, by code that is bundled into the package, and has its licence', async () => {
  const collector = await startCollector();
  const service = await startProcess(
    project,
    { ACCESS_TOKENS: 'alice:s3cret', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    join(project, 'dist/bin/cli.js'),
  );
  await fetch(`${service.url}/lists/errands/tasks`, { headers: { 'x-app-key': 's3cret' } });
  expect(await service.end()).toBe(0);
  expect(collector.spans.map(({ name }) => name)).toContain('GET /lists/{list}/tasks');
  collector.close();
  expect(read('package-lock.json')).not.toContain('@opentelemetry/');
  expect(read('dist/bin/LICENSES.txt')).toMatch(/^@opentelemetry\/sdk-trace [\d.]+, Apache-2\.0$/m);
});

test('trellis dev serves it from its sources, with a store on disk', async () => {
  const trellis = ['node_modules/@trellis/create/dist/cli.js'];
  const dev = await startDev(project, { trellis, databaseUrl: 'sqlite:data/dev.db' });
  expect((await fetch(`${dev.url()}/readyz`)).status).toBe(200);
  await dev.end();
});

test('trellis check names types that do not fit, and generated files that are stale', () => {
  const handler = read('src/handlers/list-tasks.ts');
  const types = read('generated/openapi.ts');
  writeFileSync(join(project, 'src/handlers/list-tasks.ts'), `${handler}const wrong: number = 'text';\n`);
  writeFileSync(join(project, 'generated/openapi.ts'), `${types}// edited\n`);
  const { status, output } = run(project, 'npm', 'run', 'check');
  expect(status).toBe(1);
  expect(output).toMatch(/src\/handlers\/list-tasks\.ts\(\d+,7\): error TS2322/);
  expect(output).toContain('generated/openapi.ts is stale');
  writeFileSync(join(project, 'src/handlers/list-tasks.ts'), handler);
  writeFileSync(join(project, 'generated/openapi.ts'), types);
});

/** The packages as version 1.1.0, in which generated files begin with other words. */
const packNext = async (change: (text: string) => string): Promise<string> => {
  const folder = await makeFolder();
  cpSync(join(packed, INSTALLED), join(folder, 'packages'), { recursive: true });
  const folders = readdirSync(join(folder, 'packages')).map((name) => join(folder, 'packages', name));
  for (const each of folders) {
    const manifest = readFileSync(join(each, 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest);
    writeFileSync(join(each, 'package.json'), manifest.replaceAll(`"${version}"`, '"1.1.0"'));
  }
  const handlers = join(folder, 'packages/create/dist/generate/handlers.js');
  writeFileSync(handlers, change(readFileSync(handlers, 'utf8')));
  execFileSync('npm', ['pack', ...folders, '--silent'], { cwd: folder, env: environmentElsewhere() });
  return folder;
};

describe('trellis upgrade', () => {
  const upgrade = (to: string) => run(project, 'npx', 'trellis', 'upgrade', '--to', to);

  test('changes nothing if the packages cannot be installed', async () => {
    const vendor = () => readdirSync(join(project, 'vendor'));
    const before = [...['package.json', 'package-lock.json'].map(read), vendor()];
    const { status, output } = upgrade(await makeFolder());
    expect({ status, output }).toEqual({
      status: 1,
      output: expect.stringContaining('has no tarball of @trellis/'),
    });
    expect([...['package.json', 'package-lock.json'].map(read), vendor()]).toEqual(before);
  });

  test('brings packages, lock file and generated files to the next version, and the tests pass', async () => {
    const next = await packNext((text) =>
      text.replaceAll('Generated from openapi.yaml', 'Written from openapi.yaml'),
    );
    const { status, output } = upgrade(next);
    expect({ status, output }).toEqual(PASSED('upgraded, and the tests pass'));
    expect(output).toContain('the packages of Trellis: 1.0.0 -> 1.1.0');
    expect(output).toContain('src/handlers.ts written');
    expect(read('src/handlers.ts')).toMatch(/^\/\/ Written from openapi\.yaml/);
    expect(read('package.json')).toContain('"@trellis/server": "file:vendor/trellis-server-1.1.0.tgz"');
    expect(read('package-lock.json')).toContain('vendor/trellis-server-1.1.0.tgz');
    expect(read('package-lock.json')).not.toMatch(/1\.0\.0\.tgz|"resolved": "(?!file:vendor\/)/);
    expect(readdirSync(join(project, 'vendor')).filter((name) => !name.endsWith('-1.1.0.tgz'))).toEqual([]);
    expect(run(project, 'npm', 'run', 'check')).toEqual(PASSED('the types fit'));
  });
});
