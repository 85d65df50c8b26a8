import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { startProcess } from '../scripts/support/service.ts';
import { post } from './service/support/service.ts';
import { read } from './support/service.ts';
import { temporaryFolders } from './support/temporary.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const makeFolder = temporaryFolders();

/** npm hands its settings on to what it runs; the folder that it was run in is not one for another npm. */
const { npm_config_local_prefix: _, INIT_CWD: __, ...environment } = process.env;

const run = (cwd: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

let tarball = '';
let packed: string[] = [];
let consumer = '';

/** The installed command. */
const CLI = () => join(consumer, 'node_modules/.bin/plant-store');

/** Packed from a copy of the sources: the tests beside this one run what is in dist/, and packing builds it anew. */
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
    'tests',
  ])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  run(copy, 'npm', 'pack', '--silent');
  tarball = join(copy, run(copy, 'sh', '-c', 'ls *.tgz').trim());
  packed = run(copy, 'tar', '-tzf', tarball).trim().split('\n');

  consumer = await makeFolder();
  writeFileSync(join(consumer, 'package.json'), '{"type":"module"}');
  const types = ['@types/express@5', '@types/node@20'];
  run(
    consumer,
    'npm',
    'install',
    '--silent',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    tarball,
    ...types,
  );
}, 300_000);

test('the package holds the built code, the types of its entry, the contract and the docs, and nothing else', () => {
  const others = packed.filter(
    (name) =>
      !/^package\/(dist\/(bin|src|generated)\/[\w/.-]+\.(js|d\.ts)|dist\/bin\/LICENSES\.txt|dist\/docs\/reference\.(js|css)|docs\/[\w/.-]+|openapi\.yaml|package\.json|README\.md|LICENSE)$/.test(
        name,
      ),
  );
  expect(others).toEqual([]);
  expect(packed).toEqual(
    expect.arrayContaining([
      'package/dist/bin/cli.js',
      'package/dist/bin/LICENSES.txt',
      'package/dist/bin/contract-tests.js',
      'package/dist/bin/contract-tests.d.ts',
      'package/dist/docs/reference.js',
      'package/dist/src/index.d.ts',
      'package/dist/src/client/client.js',
      'package/dist/src/client/client.d.ts',
      'package/dist/src/engines/sqlite/thread.js',
      'package/docs/operating.md',
      'package/docs/grafana-dashboard.json',
      'package/docs/deploy/Dockerfile',
      'package/openapi.yaml',
    ]),
  );
  const programs = packed.filter((name) =>
    /^package\/dist\/src\/(cli|main|service|commands\/\w+)\.js$/.test(name),
  );
  expect(programs).toEqual([]); // they are in dist/bin
});

test('with the lines of docs/mounting.md in package.json, npm installs it without a warning', async () => {
  const folder = await makeFolder();
  const page = readFileSync(join(ROOT, 'docs/mounting.md'), 'utf8');
  const [, lines = ''] = /\n```json\n([\s\S]*?)```/.exec(page) ?? [];
  writeFileSync(join(folder, 'package.json'), lines);
  const options = ['--package-lock-only', '--prefer-offline', '--no-audit', '--no-fund'];
  const { stderr } = spawnSync('npm', ['install', ...options, tarball], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  const warnings = stderr.split('\n').filter((line) => !/^$|Unknown (?:user|env|builtin) config/.test(line));
  expect(warnings).toEqual([]); // whoever runs this may have settings that npm does not know
}, 60_000);

test('installed into an empty folder, npx plant-store tells its version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(run(consumer, 'npx', 'plant-store', '--version')).toBe(`${version}\n`);
});

test('there it serves without a word of set-up, and exports what was created', async () => {
  const service = await startProcess(consumer, {}, CLI());
  const token = readFileSync(join(consumer, 'data/access-token'), 'utf8').trim();
  const plant = '{"id":9223372036854775807,"name":"Monstera deliciosa","tag":"tropical"}';
  const reply = await read(post(service, plant, { authorization: `Bearer ${token}` }));
  expect(await service.end()).toBe(0);
  expect(reply).toEqual({ status: 200, body: { name: 'Monstera deliciosa', tag: 'tropical' } });
  expect(run(consumer, 'npx', 'plant-store', 'export')).toBe(`${plant}\n`);
});

/** What the compiler says of a program that uses the package, libraries checked. */
const compile = (name: string, text: string, more: ts.CompilerOptions = {}): string[] => {
  const file = join(consumer, name);
  writeFileSync(file, text);
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
    ...more,
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
};

describe('the lines for mounting in docs/mounting.md', () => {
  const page = readFileSync(join(ROOT, 'docs/mounting.md'), 'utf8');
  const [, lines = ''] = /\n## Mount it\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const complaintsOf = (text: string): string[] =>
    compile('mount.ts', text, { types: ['node'], typeRoots: [join(consumer, 'node_modules/@types')] });

  test('compile against the types of the package, libraries checked', () => {
    expect(complaintsOf(lines)).toEqual([]);
  }, 60_000);

  test('compile with the tokens and JWTs that the service accepts', () => {
    const [, own = ''] = /`(await openAuthenticator\([^`]*)`/.exec(page.replaceAll('\n', ' ')) ?? [];
    const other = lines
      .replace(/createStaticTokens\(.*\)/, own)
      .replace('createStaticTokens', 'openAuthenticator,\n  readAuthSettings');
    expect(other).toContain('bearerAuth: await openAuthenticator(');
    expect(complaintsOf(other)).toEqual([]);
  }, 60_000);

  test('do not compile where a handler is missing, or an id is no bigint', () => {
    const broken = lines.replace(/handlers: .*/, 'handlers: {},');
    expect(complaintsOf(`${broken}\nawait plants.create({ id: 41, name: 'Fern' });`)).toEqual([
      expect.stringMatching(/missing.*createPlant|createPlant.*missing/),
      "Type 'number' is not assignable to type 'bigint'.",
    ]);
  }, 60_000);

  test('serve the plants under a path', async () => {
    const { outputText } = ts.transpileModule(lines, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(consumer, 'mount.js'), outputText);
    const child = spawn(process.execPath, ['mount.js'], {
      cwd: consumer,
      env: { PORT: '0', DATABASE_URL: 'memory:' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    try {
      const [shown] = await once(child.stdout, 'data');
      const url = `http://127.0.0.1:${/port: (\d+)/.exec(`${shown}`)?.[1]}/store`;
      const reply = post({ url }, '{"id":41,"name":"Fern"}', { authorization: 'Bearer s3cret' });
      expect(await read(reply)).toEqual({ status: 200, body: { name: 'Fern' } });
    } finally {
      child.kill();
      await closed;
    }
  });
});

describe('the lines for a client in docs/client.md', () => {
  const page = readFileSync(join(ROOT, 'docs/client.md'), 'utf8');
  const [, lines = ''] = /^# [\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];

  /** As in the project of a page: types of browsers, and none of Node. */
  const complaintsOf = (text: string): string[] =>
    compile('client.ts', text, {
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    });

  test('compile against the types of the package, libraries checked, without the types of Node', () => {
    expect(complaintsOf(lines)).toEqual([]);
    expect(complaintsOf(lines.replace('9007199254740993n', '9007199254740993'))).toEqual([
      "Type 'number' is not assignable to type 'bigint'.",
    ]);
  }, 60_000);

  test('create a plant with the package that was installed', async () => {
    const service = await startProcess(consumer, { ACCESS_TOKENS: 's3cret', DATABASE_URL: 'memory:' }, CLI());
    const { outputText } = ts.transpileModule(lines.replace('http://127.0.0.1:3000', service.url), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(consumer, 'client.js'), outputText);
    const shown = run(consumer, process.execPath, 'client.js');
    await service.end();
    expect(shown).toBe('Fern\n');
  });
});

describe('the contract tests of the package', () => {
  test('npx plant-store test holds a service against the contract that it serves', async () => {
    const service = await startProcess(consumer, { ACCESS_TOKENS: 's3cret', DATABASE_URL: 'memory:' }, CLI());
    const flags = [service.url, '--token', 's3cret', '--requests', '5'];
    const shown = await promisify(execFile)('npx', ['plant-store', 'test', ...flags], {
      cwd: consumer,
      env: environment,
    });
    await service.end();
    expect(shown.stdout).toContain(`${service.url}/openapi.yaml against ${service.url}`);
    expect(shown.stdout).toContain('The service keeps its contract.');
  }, 120_000);

  test('the lines for a test runner in docs/contract-tests.md compile against its types', () => {
    const page = readFileSync(join(ROOT, 'docs/contract-tests.md'), 'utf8');
    const [, lines = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
    const complaintsOf = (text: string): string[] =>
      compile('contract.ts', `${text}\ndeclare const service: { url: string };`);
    expect(lines).toContain('contractTests({');
    expect(complaintsOf(lines)).toEqual([]);
    expect(complaintsOf(lines.replace('url: () => service.url', 'url: 41'))).not.toEqual([]);
  }, 60_000);
});
