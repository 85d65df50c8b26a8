import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Packed, preparePacked } from '@trellis/test-support/packed';
import { ROOT } from '@trellis/test-support/scratch';
import { temporaryFolders } from '@trellis/test-support/temporary';
import pg from 'pg';
import { linkPackages } from '../../../../scripts/pack/link.ts';
import { type Postgres, startPostgres } from '../../../../scripts/support/postgres.ts';
import { startProcess } from '../../../../scripts/support/service.ts';
import { PACKAGES } from '../../src/new/packages.ts';
import { environmentElsewhere } from '../../src/npm.ts';
import { startRegistry } from './registry.ts';

import.meta.jest.setTimeout(300_000);

const makeFolder = temporaryFolders();
const documentAt = (name: string) => fileURLToPath(new URL(`documents/${name}`, import.meta.url));

/**
 * The subject of this repository's service: the first word of its name. New projects must not contain it, except in
 * files of third-party packages.
 */
const [WORD = ''] = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).name.split('-');
const OURS = new RegExp(WORD, 'i');
const FOREIGN = /^(node_modules|dist|vendor)\/|^package-lock\.json$/;

let packed: Packed;
beforeAll(async () => {
  packed = await preparePacked(await makeFolder());
});

const runNew = (cwd: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [packed.trellis, 'new', ...args], {
    cwd,
    env: environmentElsewhere(),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

/** Runs a command in a project. Its output is shown if it fails. */
const runWith = (settings: NodeJS.ProcessEnv, cwd: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, {
    cwd,
    env: { ...environmentElsewhere(), ...settings },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const run = (cwd: string, command: string, ...args: string[]): string => runWith({}, cwd, command, ...args);

/** The same while this process answers requests. */
const runAside = (settings: NodeJS.ProcessEnv, cwd: string, command: string, ...args: string[]) =>
  promisify(execFile)(command, args, { cwd, env: { ...environmentElsewhere(), ...settings } });

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => !FOREIGN.test(file));

/** Makes a project and gives it the packages. */
const makeProject = async (document: string, ...options: string[]): Promise<string> => {
  const parent = await makeFolder();
  const args = ['project', '--spec', documentAt(document), '--name', '@tests/shop', ...options];
  const { status, stderr } = runNew(parent, ...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('Error') });
  const folder = join(parent, 'project');
  linkPackages(folder, packed.folder);
  return folder;
};

const AUTHORIZATION = `Bearer s3cret`;

describe.each([
  {
    document: 'museum.yaml',
    title: 'Harbour Museum',
    operations: 6,
    path: '/tickets',
    init: {
      method: 'POST',
      headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
      body: '{"type":"event","date":"2026-04-01"}',
    },
    status: 201,
    text: '{"number":9007199254740993,"type":"general","date":"2026-03-01"}',
  },
  {
    document: 'to-do.yaml',
    title: 'To-do',
    operations: 4,
    path: '/lists/errands/tasks?done=false',
    init: { headers: { 'x-app-key': 's3cret' } },
    status: 200,
    text: '{"tasks":[{"kind":"errand","title":"Buy bread","done":false,"place":"Baker"}]}',
  },
  {
    document: 'bookshop.yaml',
    title: "Ada's Bookshop",
    operations: 6,
    path: '/orders?key=s3cret',
    init: {
      method: 'POST',
      headers: { cookie: 'session=s3cret', 'content-type': 'application/json' },
      body: '{"lines":[{"isbn":"9790000000001","copies":1}]}',
    },
    status: 202,
    text: '{"order":4611686018427387905,"total":41.5}',
  },
])('a project made from $document', ({ document, title, operations, path, init, status, text }) => {
  let project = '';
  beforeAll(async () => {
    project = await makeProject(document);
  }, 300_000);

  test('has its own name, contract and README, and nothing of ours', () => {
    const read = (file: string) => readFileSync(join(project, file), 'utf8');
    const { name, version, bin, scripts } = JSON.parse(read('package.json'));
    expect({ name, version, bin }).toEqual({
      name: '@tests/shop',
      version: '0.1.0',
      bin: { shop: 'dist/bin/cli.js' },
    });
    expect(Object.keys(scripts)).toEqual(
      expect.arrayContaining(['generate', 'dev', 'build', 'start', 'test', 'check', 'test:contract']),
    );
    const { packages, ...lock } = JSON.parse(read('package-lock.json'));
    expect([lock.name, packages[''].name, packages[''].version]).toEqual([name, name, version]);
    expect(packages[''].bin).toEqual(bin);
    expect(read('package-lock.json')).not.toMatch(/"resolved": "(?!file:vendor\/)/);
    expect(read('openapi.yaml')).toBe(readFileSync(documentAt(document), 'utf8'));
    expect(read('README.md')).toMatch(new RegExp(`^# ${title}\n`));
    const checked = filesOf(project);
    const handlers = checked.filter((file) => file.startsWith('src/handlers/'));
    expect(handlers).toHaveLength(operations);
    expect(checked.length - handlers.length + 1).toBeLessThanOrEqual(25); // and the lock file
    expect(checked.filter((file) => OURS.test(file) || OURS.test(read(file)))).toEqual([]);
  });

  test('passes its checks, is built, and lets its owner add folders', async () => {
    await mkdir(join(project, 'src/billing'));
    writeFileSync(join(project, 'src/billing/price.ts'), 'export const PRICE = 1;\n');
    // The build checks the types as well.
    if (document === 'museum.yaml')
      expect(run(project, 'npm', 'run', '--silent', 'check')).toContain('the types fit');
    run(project, 'npm', 'run', '--silent', 'build');
    expect(existsSync(join(project, 'dist/bin/cli.js'))).toBe(true);
  });

  test('serves the examples of its contract', async () => {
    const settings = { ACCESS_TOKENS: 'alice:s3cret' };
    const service = await startProcess(project, settings, join(project, 'dist/bin/main.js'));
    const reply = await fetch(service.url + path, init);
    expect({ status: reply.status, text: await reply.text() }).toEqual({ status, text });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${service.url}/docs`)).status).toBe(200);
    expect(await service.end()).toBe(0);
  }, 60_000);
});

describe('a project with --store postgres', () => {
  let project = '';
  let postgres: Postgres;
  beforeAll(async () => {
    project = await makeProject('to-do.yaml', '--store', 'postgres');
    postgres = await startPostgres(await makeFolder());
  }, 300_000);
  afterAll(() => postgres.stop());

  const testStore = (settings: NodeJS.ProcessEnv): string =>
    runWith(settings, project, 'node', '--import', 'tsx', '--test', 'tests/store.test.ts');

  test('passes the tests of its store in memory and in PostgreSQL, which then has its tables', async () => {
    const store = join(project, 'src/store.ts');
    const example = /^( *)\/\/ (?=thing|'CREATE TABLE thing)/gm;
    writeFileSync(store, readFileSync(store, 'utf8').replaceAll(example, '$1'));
    expect(testStore({})).toMatch(/pass 1$/m);
    const url = await postgres.createDatabase();
    expect(testStore({ TEST_DATABASE_URL: url })).toMatch(/pass 1$/m);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT count(*)::int AS things FROM thing');
    await client.end();
    expect(rows).toEqual([{ things: 0 }]);
  });

  test('is ready while its database answers', async () => {
    run(project, 'npm', 'run', '--silent', 'build');
    const settings = { ACCESS_TOKENS: 'alice:s3cret', DATABASE_URL: await postgres.createDatabase() };
    const service = await startProcess(project, settings, join(project, 'dist/bin/main.js'));
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await postgres.stopAtOnce();
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    await postgres.startAgain();
    expect(await service.end()).toBe(0);
  });
});

test('a project with --store none has no store, passes its tests, and serves without a database', async () => {
  const project = await makeProject('to-do.yaml', '--store', 'none');
  expect(existsSync(join(project, 'src/store.ts'))).toBe(false);
  expect(filesOf(join(project, 'tests'))).toEqual(['contract.test.ts']);
  const read = (file: string) => readFileSync(join(project, file), 'utf8');
  expect(filesOf(project).filter((file) => read(file).includes('DATABASE'))).toEqual([]);
  expect(read('Dockerfile') + read('compose.yaml')).not.toMatch(/\/data\b|VOLUME/);
  run(project, 'npm', 'test');
  run(project, 'npm', 'run', '--silent', 'build');
  const settings = { ACCESS_TOKENS: 'alice:s3cret' };
  const service = await startProcess(project, settings, join(project, 'dist/bin/main.js'));
  const reply = await fetch(`${service.url}/lists/errands/tasks`, { headers: { 'x-app-key': 's3cret' } });
  expect(reply.status).toBe(200);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(await service.end()).toBe(0);
});

test('a project with --registry depends on the published packages, exactly of this version', async () => {
  const registry = await startRegistry(packed.folder);
  const folder = await makeFolder();
  const settings = { 'npm_config_@trellis:registry': registry.url };
  const { version } = registry;
  try {
    const args = [packed.trellis, 'new', 'project', '--spec', documentAt('to-do.yaml'), '--registry'];
    await runAside(settings, folder, process.execPath, ...args);
    const project = join(folder, 'project');
    const read = (file: string) => readFileSync(join(project, file), 'utf8');
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    expect({ ...dependencies, '@trellis/create': devDependencies['@trellis/create'] }).toEqual({
      ...Object.fromEntries(PACKAGES.map((name) => [`@trellis/${name}`, version])),
      kysely: expect.any(String),
    });
    expect(existsSync(join(project, 'vendor'))).toBe(false);
    expect(read('Dockerfile')).not.toContain('vendor');
    expect(read('README.md')).not.toContain('vendor');
    expect(read('package-lock.json')).not.toContain('"resolved"');
    const options = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    await runAside(settings, project, 'npm', 'ci', ...options);
    expect(JSON.parse(read('node_modules/@trellis/server/package.json'))).toMatchObject({ version });
  } finally {
    registry.close();
  }
});

test('misspelt keywords of the document are warnings in the project, whose package.json allows them', async () => {
  const folder = await makeFolder();
  const text = readFileSync(documentAt('to-do.yaml'), 'utf8').replace(
    'operationId:',
    'sumary: none\n      operationId:',
  );
  writeFileSync(join(folder, 'typo.yaml'), text);
  const { status, stderr } = runNew(folder, 'project', '--spec', 'typo.yaml');
  expect(status).toBe(0);
  expect(stderr).toMatch(
    /^warning: openapi\.yaml:\d+:\d+ Property `sumary` is not expected here \(did you mean `summary`/m,
  );
  const project = join(folder, 'project');
  const { trellis } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  expect(trellis).toEqual({ allowTypos: true });
  linkPackages(project, packed.folder);
  expect(run(project, 'npm', 'run', '--silent', 'generate')).toContain('src/handlers.ts is up to date');
});

describe('what cannot be made is refused with the reason, and leaves nothing behind', () => {
  const refuse = async (prepare: (folder: string) => string[] | Promise<string[]>) => {
    const folder = await makeFolder();
    const args = await prepare(folder);
    const before = readdirSync(folder, { recursive: true });
    const result = runNew(folder, ...args);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/^trellis new: /);
    return result.stderr.slice('trellis new: '.length).trim();
  };
  const museum = documentAt('museum.yaml');

  test('a folder that is not empty', async () => {
    const reason = await refuse(async (folder) => {
      await mkdir(join(folder, 'project/src'), { recursive: true });
      return ['project', '--spec', museum];
    });
    expect(reason).toMatch(/project is not empty; name a folder that does not exist yet$/);
  });

  test('a file in the place of the folder', async () => {
    const reason = await refuse((folder) => {
      writeFileSync(join(folder, 'project'), '');
      return ['project', '--spec', museum];
    });
    expect(reason).toMatch(/project is not a folder$/);
  });

  test('a folder in a folder that does not exist', async () => {
    expect(await refuse(() => ['some/project', '--spec', museum])).toMatch(
      /some does not exist; create it first$/,
    );
  });

  test('a contract that is not there', async () => {
    expect(await refuse(() => ['project', '--spec', 'nothing.yaml'])).toMatch(
      /^the contract cannot be read: ENOENT.*nothing\.yaml/,
    );
  });

  test('a contract that generate refuses', async () => {
    const reason = await refuse((folder) => {
      writeFileSync(
        join(folder, 'old.yaml'),
        'openapi: 2.0.0\ninfo: { title: Old, version: "1" }\npaths: {}\n',
      );
      return ['project', '--spec', 'old.yaml'];
    });
    expect(reason).toMatch(/^the contract cannot be served:\nopenapi\.yaml:1:/);
  });

  test('a contract whose aliases multiply', async () => {
    const reason = await refuse((folder) => {
      const line = (level: number) => `x-a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]`;
      const lines = [
        'openapi: 3.1.0',
        'x-a0: &a0 a',
        ...Array.from({ length: 20 }, (_, nth) => line(nth + 1)),
      ];
      writeFileSync(join(folder, 'bomb.yaml'), lines.join('\n'));
      return ['project', '--spec', 'bomb.yaml'];
    });
    expect(reason).toMatch(
      /^the contract cannot be read: .*bomb\.yaml cannot be read: it has more than 3000000 values, aliases included$/,
    );
  });

  test.each<[what: string, ref: (outside: string) => string]>([
    ['above its folder', () => '../outside.yaml'],
    ['above its folder, encoded', () => '%2e%2e/outside.yaml'],
    ['by its path', (outside) => outside],
    ['by its URL', (outside) => pathToFileURL(outside).href],
    ['by a link', () => 'link.yaml'],
    ['in a linked folder', () => 'linked/outside.yaml'],
  ])('a contract that refers to a file %s', async (_what, ref) => {
    const outside = join(await makeFolder(), 'outside.yaml');
    writeFileSync(outside, 'type: string');
    const reason = await refuse(async (folder) => {
      await mkdir(join(folder, 'spec'));
      writeFileSync(join(folder, 'outside.yaml'), 'type: string');
      symlinkSync(outside, join(folder, 'spec/link.yaml'));
      symlinkSync(dirname(outside), join(folder, 'spec/linked'));
      const components = { schemas: { A: { $ref: ref(outside) } } };
      const info = { title: 'Things', version: '1' };
      const contract = { openapi: '3.1.0', info, security: [], paths: {}, components };
      writeFileSync(join(folder, 'spec/openapi.yaml'), JSON.stringify(contract));
      return ['project', '--spec', 'spec/openapi.yaml'];
    });
    expect(reason).toMatch(
      /^the contract refers to \S+\.yaml, which is outside of its folder, and is not copied; put a copy into \S+ and refer to that$/,
    );
  });

  test('a name that no package can have', async () => {
    expect(await refuse(() => ['project', '--spec', museum, '--name', 'My Museum'])).toMatch(
      /^"My Museum" cannot be the name of a package; use lower-case letters/,
    );
  });
});

test('an empty folder is accepted, and the next commands are shown', async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, 'museum'));
  const { status, stdout } = runNew(folder, 'museum', '--spec', documentAt('museum.yaml'));
  expect(status).toBe(0);
  expect(stdout).toMatch(/museum is made in .*\/museum: 6 operations/);
  expect(stdout).toContain('  cd museum\n  npm ci && npm start\n');
}, 60_000);

test('a contract in several files is copied with all of them', async () => {
  const folder = await makeFolder();
  const spec = fileURLToPath(
    new URL('../../../../tests/contracts/documents/several-files/openapi.yaml', import.meta.url),
  );
  expect(runNew(folder, 'project', '--spec', spec)).toMatchObject({ status: 0 });
  expect(filesOf(join(folder, 'project/contract')).length).toBeGreaterThan(0);
}, 60_000);

test('only the YAML and JSON files that a contract refers to are copied, into a separate folder', async () => {
  const folder = await makeFolder();
  const at = (name: string) => join(folder, 'spec', name);
  for (const name of ['src/handlers', 'paths', 'parts']) await mkdir(at(name), { recursive: true });
  writeFileSync(at('.npmrc'), 'registry=https://registry.example.com/');
  writeFileSync(at('src/handlers/list-a.ts'), 'export const listA = () => process.exit(1);');
  writeFileSync(at('package.json'), '{ "scripts": { "start": "false" } }');
  writeFileSync(
    at('parts/a.yaml'),
    'A: { type: object, properties: { size: { $ref: "../things.yaml#/components/schemas/Size" } } }',
  );
  writeFileSync(
    at('paths/a.yaml'),
    "get:\n  operationId: listA # a comment\n  responses:\n    200: { description: All, content: { application/json: { schema: { $ref: '../parts/a.yaml#/A' } } } }\n",
  );
  const names = ['.npmrc', 'src/handlers/list-a.ts', 'package.json'];
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    security: [],
    paths: { '/a': { $ref: 'paths/a.yaml' } },
    components: {
      schemas: { Size: { type: 'integer', format: 'int64' } },
      examples: Object.fromEntries(
        names.map((name, nth) => [`e${nth}`, { $ref: `./${name}`, externalValue: name }]),
      ),
    },
  };
  writeFileSync(at('things.yaml'), JSON.stringify(contract));
  const { status, stderr } = runNew(folder, 'project', '--spec', 'spec/things.yaml');
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('    at ') });
  expect(stderr).toContain('only .yaml, .yml and .json files are read');
  const project = join(folder, 'project');
  const read = (name: string) => readFileSync(join(project, name), 'utf8');
  expect(existsSync(join(project, '.npmrc'))).toBe(false);
  expect(read('src/handlers/list-a.ts')).toContain("Handler<'listA'>");
  expect(JSON.parse(read('package.json'))).toMatchObject({ name: 'project' });
  expect(filesOf(join(project, 'contract')).toSorted()).toEqual([
    'package.json',
    'parts/a.yaml',
    'paths/a.yaml',
  ]);
  expect(read('contract/paths/a.yaml')).toContain('operationId: listA # a comment');
  expect(read('openapi.yaml')).toContain('"contract/paths/a.yaml"');
  expect(read('contract/parts/a.yaml')).toContain('"../../openapi.yaml#/components/schemas/Size"');
  expect(read('generated/openapi.ts')).toContain('size?: components["schemas"]["Size"];');
}, 60_000);
