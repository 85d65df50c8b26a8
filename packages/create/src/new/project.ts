/**
 * trellis new FOLDER --spec FILE: makes a project out of an OpenAPI document, with a stub for each of its operations. It
 * depends on the packages of Trellis and holds nothing of them.
 */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { writeArtifact } from '../generate/artifacts.ts';
import { BINDINGS } from '../generate/handlers.ts';
import { fromCaller, runNpm } from '../npm.ts';
import { copyContract } from './contract.ts';
import { checkName, commandOf, renderManifest } from './manifest.ts';
import { copyTarballs, type Dependencies, fromRegistry, readVersion, withTarballs } from './packages.ts';
import { type StoreKind, writeTemplates } from './templates.ts';
import { findTypeFaults } from './type-faults.ts';

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

/** The lock file of another project with the same packages, under this name. */
const renameLock = (text: string, name: string): string => {
  const lock = JSON.parse(text);
  const root = { ...lock.packages[''], name, bin: { [commandOf(name)]: 'dist/bin/cli.js' } };
  return `${JSON.stringify({ ...lock, name, packages: { ...lock.packages, '': root } }, null, 2)}\n`;
};

/**
 * Writes the lock file of a project with a package.json and tarballs. npm takes ten seconds for it, so a copy is kept
 * beside the tarballs for the next project with the same packages.
 */
const writeLock = async (folder: string, name: string, keptIn?: string): Promise<void> => {
  const file = join(folder, 'package-lock.json');
  const kept = keptIn && (await readFile(keptIn, 'utf8').catch(() => undefined));
  if (kept) return writeArtifact({ file, text: renameLock(kept, name) });
  await runNpm(folder, ['install', '--package-lock-only', '--ignore-scripts']);
  if (keptIn) await copyFile(file, keptIn);
};

/** Fills an empty folder, and returns the warnings of `generate`. */
const fill = async (options: ProjectOptions & { readonly name: string }, config: Config): Promise<string> => {
  const { folder, spec, name, store, registry } = options;
  const title = (await copyContract(spec, folder)) ?? name;
  await writeTemplates(folder, { name, command: commandOf(name), title, store, registry });
  const warnings = generate(folder);
  const sends = (await readFile(join(folder, BINDINGS), 'utf8')).includes('@trellis/outbox');
  const hasTypos = /(?:not expected here|only: .*) \(did you mean/.test(warnings);
  const kind = store !== 'none' ? 'data' : sends ? 'none-outbox' : 'none';
  const finish = async (packages: Dependencies, lock?: string): Promise<void> => {
    const text = renderManifest({ name, title, packages, store, sends, hasTypos });
    await writeArtifact({ file: join(folder, 'package.json'), text });
    await writeLock(folder, name, lock);
  };
  if (registry) await finish(fromRegistry(await readVersion()));
  else
    await withTarballs(config, async (from) =>
      finish(await copyTarballs(from, folder), join(from, `lock-${kind}.json`)),
    );
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

/** `trellis new`: makes the project, prints the next commands, and checks its types. False if they do not compile. */
export const runNew = async (options: ProjectOptions, config: Config): Promise<boolean> => {
  const [folder, spec] = [fromCaller(options.folder), fromCaller(options.spec)];
  const { name, operations, warnings } = await createProject({ ...options, folder, spec }, config);
  if (warnings !== '') console.error(warnings);
  const count = operations === 1 ? '1 operation, a stub' : `${operations} operations, each a stub`;
  console.log(`${name} is made in ${folder}: ${count} that answers with the example of the contract.

Next:
  cd ${options.folder}
  npm ci && npm start`);
  const faults = await findTypeFaults(folder, config.conditions ?? []);
  if (faults.length === 0) return true;
  console.error(`
The generated types do not compile. That is a fault of Trellis, and not of your contract. Please report it:
${faults.join('\n')}`);
  return false;
};
