/**
 * `npm run example -- conduit FOLDER`: makes a project with `trellis new` from the contract of an example, and copies
 * the files of the example over it. The result is the project of an owner.
 */
import { spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromCaller, runNpm } from '../packages/create/src/npm.ts';

const pathTo = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

const [example = '', folder = ''] = process.argv.slice(2);
if (!/^[a-z-]+$/.test(example) || !folder) {
  console.error('usage: npm run example -- museum|conduit|warehouse FOLDER');
  process.exit(1);
}

const source = pathTo(`../examples/${example}`);
const project = fromCaller(folder);
const trellis = (cwd: string, ...args: readonly string[]): void => {
  const command = [...process.execArgv, pathTo('trellis.ts'), ...args];
  if (spawnSync(process.execPath, command, { cwd, stdio: 'inherit' }).status !== 0) process.exit(1);
};
trellis('.', 'new', project, '--spec', join(source, 'openapi.yaml'), '--name', example);

const manifest = join(project, 'package.json');
const { dependencies, devDependencies, ...own } = JSON.parse(await readFile(manifest, 'utf8'));
await cp(source, project, { recursive: true });
const added = JSON.parse(await readFile(manifest, 'utf8'));
const merged = {
  ...own,
  dependencies: { ...dependencies, ...added.dependencies },
  devDependencies: { ...devDependencies, ...added.devDependencies },
};
await writeFile(manifest, `${JSON.stringify(merged, null, 2)}\n`);
trellis(project, 'generate'); // for src/principal.ts
await runNpm(project, ['install', '--package-lock-only', '--ignore-scripts']);
