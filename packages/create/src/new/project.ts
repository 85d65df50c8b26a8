/** Makes a new project: all of it, or nothing. */
import { cp, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MACHINE } from '../../../../scripts/support/machine.ts';
import { copyContract } from './contract.ts';
import { generate } from './generate.ts';
import { checkName, commandOf, renderLock, renderPackage } from './package.ts';
import { renderEntry, writeTemplates } from './templates.ts';
import { writeFileIn } from './write.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a project is made of. */
export interface ProjectOptions {
  readonly folder: string;
  /** The file of the contract. */
  readonly spec: string;
  /** The name of the package; the folder's if not given. */
  readonly name?: string | undefined;
}

/** What was made. */
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

/** The licence asks to be kept with the code; its notice names the scaffold, not the service that came with it. */
const keepLicence = async (folder: string): Promise<void> => {
  const text = await readFile(join(folder, 'LICENSE'), 'utf8');
  const notice = /^(Copyright \(c\) \d+) .*$/m;
  await writeFileIn(folder, 'LICENSE', text.replace(notice, '$1 the maintainers of the scaffold'));
};

const fill = async (folder: string, { spec, name }: { spec: string; name: string }): Promise<string> => {
  for (const path of MACHINE) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await keepLicence(folder);
  const { names, title = name } = await copyContract(spec, folder);
  const contractFiles = [...names.values()];
  const readOurs = (file: string) => readFile(join(ROOT, file), 'utf8');
  await writeFileIn(
    folder,
    'package.json',
    renderPackage(await readOurs('package.json'), { name, title, contractFiles }),
  );
  await writeFileIn(folder, 'package-lock.json', renderLock(await readOurs('package-lock.json'), name));
  await writeTemplates(folder, { name, command: commandOf(name), title });
  await writeFileIn(folder, 'src/index.ts', renderEntry(await readOurs('src/index.ts')));
  return generate(folder);
};

/** Makes a project in a folder that is not there yet, or empty. Throws the reason, and leaves nothing behind, if it cannot. */
export const createProject = async ({
  folder,
  spec,
  name = basename(folder),
}: ProjectOptions): Promise<Project> => {
  checkName(name);
  await refuseTaken(folder);
  // Beside its place, so that it can be renamed; a failure never leaves half a project there.
  const draft = join(dirname(folder), `.${basename(folder)}.${process.pid}.new`);
  await mkdir(draft);
  try {
    const warnings = await fill(draft, { spec, name });
    const operations = (await readdir(join(draft, 'src/handlers')).catch(() => [])).length;
    await rmdir(folder).catch(() => {}); // it may be there, empty
    await rename(draft, folder);
    return { name, operations, warnings };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};
