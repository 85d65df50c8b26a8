/** Each packed package: its files, its types, and whether it works alone. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { PACKAGES } from '../packages/create/src/new/packages.ts';
import { environmentElsewhere } from '../packages/create/src/npm.ts';
import { INSTALLED, packPackages, tarballsIn } from '../scripts/pack/pack.ts';
import { ROOT } from './support/scratch.ts';
import { temporaryFolders } from './support/temporary.ts';

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

let packed = '';
beforeAll(async () => {
  packed = await packPackages();
});

const folderOf = (name: string): string => join(packed, INSTALLED, name);
const manifestOf = (name: string) => JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'));
const tarballOf = (name: string): string =>
  join(packed, tarballsIn(packed).find((file) => file.startsWith(`trellis-${name}-`)) ?? 'none');

/** The entries of a package that are modules. */
const entriesOf = (name: string): string[] =>
  Object.entries<{ default?: string }>(manifestOf(name).exports)
    .filter(([, target]) => target.default !== undefined)
    .map(([entry]) => `@trellis/${name}${entry.slice(1)}`);

/** The specifiers that a file imports, or requires in a bundle. Texts in bundles may look like imports. */
const importsOf = (file: string): string[] => {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const module =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && /^(?:import|(?:__)?require)$/.test(node.expression.getText(source))
          ? node.arguments[0]
          : undefined;
    if (module && ts.isStringLiteral(module)) found.push(module.text);
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext);
  visit(source);
  return found;
};

/** The thread of SQLite is a program: it runs when it is imported. */
const isLibrary = (entry: string): boolean => !entry.endsWith('/thread');

const peersOf = (name: string): [string, string][] =>
  Object.entries<string>(manifestOf(name).peerDependencies ?? {});

/** The peers of all packages, and the packages of Trellis that this one has as peers. */
const peersFor = (name: string, tarballs: Readonly<Record<string, string>>): Record<string, string> => {
  const isOurs = ([peer]: [string, string]): boolean => peer.startsWith('@trellis/');
  const foreign = PACKAGES.flatMap(peersOf).filter((peer) => !isOurs(peer));
  const ours = peersOf(name).filter(isOurs);
  return Object.fromEntries([...foreign, ...ours.map(([peer, range]) => [peer, tarballs[peer] ?? range])]);
};

describe.each(PACKAGES)('the package %s', (name) => {
  test('passes publint', () => {
    const bin = join(ROOT, 'node_modules/.bin/publint');
    expect(run(ROOT, bin, 'run', tarballOf(name), '--strict')).toEqual({
      status: 0,
      output: expect.stringContaining('All good!'),
    });
  });

  test('passes @arethetypeswrong/cli', () => {
    const bin = join(ROOT, 'node_modules/.bin/attw');
    const { status, output } = run(ROOT, bin, tarballOf(name), '--profile', 'esm-only', '--no-emoji');
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining(`@trellis/${name}`) });
  });

  test('imports only its own files and its dependencies', () => {
    const { dependencies = {}, peerDependencies = {} } = manifestOf(name);
    const known = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), `@trellis/${name}`]);
    const files = readdirSync(join(folderOf(name), 'dist'), { recursive: true, encoding: 'utf8' });
    const strangers = files
      .filter((file) => /(?<!LICENSES)\.js$/.test(file))
      .flatMap((file) => importsOf(join(folderOf(name), 'dist', file)))
      .filter(
        (module) =>
          !module.startsWith('.') && !module.startsWith('node:') && !builtinModules.includes(module),
      )
      .map((module) => module.split('/', module.startsWith('@') ? 2 : 1).join('/'))
      .filter((module) => !known.has(module));
    expect([...new Set(strangers)]).toEqual([]);
  });
});

describe.each(PACKAGES)('the package %s, installed in an empty folder with its peers', (name) => {
  let consumer = '';
  beforeAll(async () => {
    consumer = await makeFolder();
    const tarballs = Object.fromEntries(
      PACKAGES.map((each) => [`@trellis/${each}`, `file:${tarballOf(each)}`]),
    );
    const own = `@trellis/${name}`;
    const dependencies = {
      '@types/node': '^20.19.43',
      ...peersFor(name, tarballs),
      [own]: tarballs[own],
    };
    const manifest = { type: 'module', dependencies, overrides: tarballs };
    writeFileSync(join(consumer, 'package.json'), JSON.stringify(manifest));
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    expect(run(consumer, 'npm', 'install', ...options)).toMatchObject({ status: 0 });
  });

  test('can be imported, every entry of it', () => {
    const entries = entriesOf(name).filter(isLibrary);
    expect(entries).toContain(`@trellis/${name}`);
    const lines = entries.map((entry) => `console.log(typeof (await import('${entry}')));`);
    writeFileSync(join(consumer, 'entries.js'), lines.join('\n'));
    const { status, output } = run(consumer, process.execPath, 'entries.js');
    expect({ status, output }).toEqual({ status: 0, output: 'object\n'.repeat(entries.length) });
  });

  test('has types that compile, libraries checked', () => {
    const file = join(consumer, 'types.ts');
    const lines = entriesOf(name).map((entry, nth) => `export * as entry${nth} from '${entry}';`);
    writeFileSync(file, lines.join('\n'));
    const program = ts.createProgram([file], {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts'],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(consumer, 'node_modules/@types')],
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map((each) => ({
        at: each.file?.fileName.replace(consumer, ''),
        text: ts.flattenDiagnosticMessageText(each.messageText, ' '),
      }))
      .filter(({ at = '@trellis' }) => !at.includes('node_modules') || at.includes('@trellis'));
    expect(problems).toEqual([]);
  });

  test('runs the sample of its README', () => {
    const readme = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');
    const sample = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? 'throw new Error("there is no sample")';
    const { outputText } = ts.transpileModule(sample, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(consumer, 'sample.js'), outputText);
    expect(run(consumer, process.execPath, 'sample.js')).toMatchObject({ status: 0 });
  });
});
