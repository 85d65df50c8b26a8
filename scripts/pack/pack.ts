/** Builds the packages from their sources and packs them, unless that has been done since the last change. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { filesIn } from '../../packages/create/src/build/stamp.ts';
import { PACKAGES } from '../../packages/create/src/new/packages.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = join(ROOT, 'packages');

/** The cache of packed packages: a folder for each version of their sources. */
const CACHE = join(ROOT, 'node_modules/.cache/trellis');

/** All inputs of packing. */
const INPUTS = [
  ...PACKAGES.flatMap((name) =>
    ['package.json', 'README.md', 'src'].map((file) => join(SOURCES, name, file)),
  ),
  ...['tsconfig.json', 'LICENSE', 'scripts/pack', 'node_modules/.package-lock.json'].map((file) =>
    join(ROOT, file),
  ),
];

const hashInputs = (version: string): string => {
  const hash = createHash('sha256').update(`${process.version} ${version}`);
  for (const file of INPUTS.flatMap(filesIn).sort())
    hash.update(`\0${relative(ROOT, file)}\0`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 24);
};

/** How the packages are packed. */
export interface PackOptions {
  /** Instead of the version in each package.json. */
  readonly version?: string | undefined;
  /** Gets a line for each step. */
  readonly say?: ((line: string) => void) | undefined;
}

/** Where the packages are in a folder of packed ones: as if installed, so that they find each other. */
export const INSTALLED = 'node_modules/@trellis';

const build = async (folder: string, { version, say = () => {} }: PackOptions): Promise<void> => {
  const packages = join(folder, INSTALLED);
  // The compiler takes a second to load.
  const { compilePackages } = await import('./compile.ts');
  const { bundleDependencies } = await import('./bundle.ts');
  const { stagePackage, stageReference } = await import('./stage.ts');
  say(`compiling ${PACKAGES.length} packages`);
  compilePackages(SOURCES, PACKAGES, packages);
  for (const name of PACKAGES) stagePackage(join(SOURCES, name), join(packages, name), version);
  say('bundling');
  for (const name of PACKAGES) await bundleDependencies(join(SOURCES, name), join(packages, name));
  await stageReference(join(packages, 'reference'));
  say('packing');
  const folders = PACKAGES.map((name) => join(packages, name));
  const options = ['--pack-destination', folder, '--ignore-scripts', '--silent'];
  await promisify(execFile)('npm', ['pack', ...folders, ...options]);
};

const DAY_MS = 86_400_000;

/** Sources change often, and each version of them is a few MB. */
const removeOld = (): void => {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    if (Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
};

/**
 * Gives a folder with a tarball of each package, and beside them the packages as if installed. Programs that pack at
 * once do not meet.
 */
export const packPackages = async (options: PackOptions = {}): Promise<string> => {
  const { say = () => {} } = options;
  const folder = join(CACHE, hashInputs(options.version ?? ''));
  if (existsSync(folder)) {
    say('nothing has changed since they were packed');
    return folder;
  }
  const draft = `${folder}.${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true });
    removeOld();
    await build(draft, options);
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
};

/** The tarballs in a folder. */
export const tarballsIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.tgz'));
