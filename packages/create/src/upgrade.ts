/**
 * trellis upgrade: moves a project to another version of the packages: package.json, package-lock.json, vendor and the
 * generated files. Then it runs the project's tests. If npm cannot install the packages, the new version refuses the
 * contract, or the tests fail, the changes stay: the owner corrects the project, or reverts with git.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isTree, messageOf, ownMember } from '@trellis/openapi/internal/json';
import {
  copyTarballs,
  type Dependencies,
  findTarballs,
  fromRegistry,
  PACKAGES,
  VENDOR,
} from './new/packages.ts';
import { runNpm } from './npm.ts';

const GO_BACK = 'to go back: git restore --staged --worktree . && git clean -f vendor && npm ci';

/** Replaces the versions of the packages in package.json. */
const replaceVersions = async (packages: Dependencies): Promise<void> => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  for (const group of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(group ?? {})) group[name] = packages[name] ?? group[name];
  await writeFile('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
};

/** The packages of Trellis that a project depends on now, by name. */
const readPackages = async (): Promise<Dependencies> => {
  const manifest: unknown = JSON.parse(await readFile('package.json', 'utf8').catch(() => '{}'));
  const all = ['dependencies', 'devDependencies'].flatMap((key) =>
    Object.entries(ownMember(manifest, key) ?? {}),
  );
  const packages = all.filter(([name]) => name.startsWith('@trellis/'));
  if (!isTree(manifest) || packages.length === 0)
    throw new Error('package.json depends on no package of Trellis; run this in the folder of a project');
  return Object.fromEntries(packages);
};

/** Replaces the tarballs of the project by the tarballs of a folder or of a published version. */
const replaceTarballs = async (to: string): Promise<Dependencies> => {
  const isFolder = existsSync(to) && statSync(to).isDirectory();
  const folder = isFolder ? resolve(to) : await mkdtemp(join(tmpdir(), 'trellis-'));
  try {
    if (!isFolder)
      await runNpm(folder, ['pack', ...PACKAGES.map((name) => `@trellis/${name}@${to}`), '--silent']);
    await findTarballs(folder); // throws before the old tarballs are removed
    await rm(VENDOR, { recursive: true, force: true });
    return await copyTarballs(folder, '.');
  } finally {
    if (!isFolder) await rm(folder, { recursive: true, force: true });
  }
};

const findVersion = async (to: string): Promise<string> =>
  (await runNpm('.', ['view', `@trellis/server@${to}`, 'version', '--silent'])).trim() || to;

const run = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;

const installedVersion = async (): Promise<string> =>
  JSON.parse(await readFile('node_modules/@trellis/server/package.json', 'utf8').catch(() => '{}')).version ??
  'none';

/** `trellis upgrade`, to a published version or to the tarballs of a folder. True if everything passes with it. */
export const runUpgrade = async (to: string): Promise<boolean> => {
  const before = await readPackages();
  const from = await installedVersion();
  const isVendored = Object.values(before).some((range) => range.startsWith(`file:${VENDOR}/`));
  const packages = isVendored ? await replaceTarballs(to) : fromRegistry(await findVersion(to));
  await replaceVersions(packages);
  console.log('installing the packages');
  await runNpm('.', ['install']).catch((error: unknown) => {
    throw new Error(`${messageOf(error)}\n${GO_BACK}`);
  });
  console.log(
    `the packages of Trellis: ${from} -> ${await installedVersion()}; package-lock.json is written`,
  );
  // By the version that was just installed.
  const command = 'node_modules/@trellis/create/dist/cli.js';
  const isDone = run(process.execPath, [command, 'generate']) && run('npm', ['test']);
  console.log(
    isDone ? 'upgraded, and the tests pass' : `upgraded, but not everything passes; see above\n${GO_BACK}`,
  );
  return isDone;
};
