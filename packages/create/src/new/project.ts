/** Makes a new project: all of it, or nothing. */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { BINDINGS } from '../generate/handlers.ts';
import { runNpm } from '../npm.ts';
import { copyContract } from './contract.ts';
import { checkName, commandOf, renderManifest } from './manifest.ts';
import { copyTarballs, type Dependencies, fromRegistry, readVersion, withTarballs } from './packages.ts';
import { type StoreKind, writeTemplates } from './templates.ts';
import { writeFileIn } from './write.ts';

/** Options of a new project. */
export interface ProjectOptions {
  readonly folder: string;
  /** The file of the contract. */
  readonly spec: string;
  /** The name of the package; the folder's if not given. */
  readonly name?: string | undefined;
  readonly store: StoreKind;
  /** Whether the packages come from the registry; otherwise they are tarballs in the project. */
  readonly registry: boolean;
}

/** A new project. */
export interface Project {
  readonly name: string;
  readonly operations: number;
  /** What `generate` has to say about the contract. */
  readonly warnings: string;
}

const refuseTaken = async (folder: string): Promise<void> => {
  const held = await readdir(folder).catch(() => undefined);
  if (held && held.length > 0)
    throw new Error(`${folder} is not empty; name a folder that does not exist yet`);
  if (!held && (await stat(folder).catch(() => undefined))) throw new Error(`${folder} is not a folder`);
  if (!(await stat(dirname(folder)).catch(() => undefined)))
    throw new Error(`${dirname(folder)} does not exist; create it first`);
};

/**
 * Generates the files that depend on the contract, and returns the warnings. Throws the reason if the contract is
 * refused.
 */
const generate = (folder: string): string => {
  const here = fileURLToPath(import.meta.url);
  const cli = join(dirname(here), `../cli${extname(here)}`); // TypeScript in the sources, JavaScript in the package
  const { status, stderr, error } = spawnSync(process.execPath, [...process.execArgv, cli, 'generate'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`the contract cannot be served:\n${stderr.trim()}`);
  return stderr.trim();
};

const LOCK = 'package-lock.json';

/** The lock file of another project with the same packages, under this name. */
const renameLock = (text: string, name: string): string => {
  const lock = JSON.parse(text);
  const root = { ...lock.packages[''], name, bin: { [commandOf(name)]: 'dist/bin/cli.js' } };
  return `${JSON.stringify({ ...lock, name, packages: { ...lock.packages, '': root } }, null, 2)}\n`;
};

/**
 * Writes the lock file of a project with a package.json and tarballs. npm takes ten seconds for it, so a copy is kept
 * for the next project with the same packages.
 */
const writeLock = async (folder: string, name: string, keptIn?: string): Promise<void> => {
  const kept = keptIn && (await readFile(keptIn, 'utf8').catch(() => undefined));
  if (kept) return writeFileIn(folder, LOCK, renameLock(kept, name));
  await runNpm(folder, ['install', '--package-lock-only', '--ignore-scripts']);
  if (keptIn) await copyFile(join(folder, LOCK), keptIn);
};

type Filled = Omit<ProjectOptions, 'name'> & { readonly name: string };

const fill = async ({ folder, spec, name, store, registry }: Filled, config: Config): Promise<string> => {
  const title = (await copyContract(spec, folder)) ?? name;
  await writeTemplates(folder, { name, command: commandOf(name), title, store, registry });
  const warnings = generate(folder);
  const sends = (await readFile(join(folder, BINDINGS), 'utf8')).includes('@trellis/outbox');
  const finish = async (packages: Dependencies, tarballs?: string): Promise<void> => {
    await writeFileIn(folder, 'package.json', renderManifest({ name, title, packages, store, sends }));
    await writeLock(
      folder,
      name,
      tarballs && join(tarballs, `lock-${store === 'none' ? `none${sends ? '-outbox' : ''}` : 'data'}.json`),
    );
  };
  if (registry) await finish(fromRegistry(await readVersion()));
  else await withTarballs(config, async (from) => finish(await copyTarballs(from, folder), from));
  return warnings;
};

/**
 * Makes a project in a folder that is not there yet, or empty. Throws the reason, and leaves nothing behind, if it
 * cannot.
 */
export const createProject = async (options: ProjectOptions, config: Config): Promise<Project> => {
  const { folder, name = basename(folder) } = options;
  checkName(name);
  await refuseTaken(folder);
  // Beside its place, so that it can be renamed; a failure never leaves half a project there.
  const draft = join(dirname(folder), `.${basename(folder)}.${process.pid}.new`);
  await mkdir(draft);
  try {
    const warnings = await fill({ ...options, folder: draft, name }, config);
    const operations = (await readdir(join(draft, 'src/handlers')).catch(() => [])).length;
    await rmdir(folder).catch(() => {}); // it may be there, empty
    await rename(draft, folder);
    return { name, operations, warnings };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};
