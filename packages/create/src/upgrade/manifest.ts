import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dependencies } from '../new/packages.ts';
import { VENDOR } from '../new/packages.ts';

/** What an upgrade writes before the packages are installed. */
const WRITTEN = ['package.json', 'package-lock.json', VENDOR];

/** Runs a change of the project's packages. If it throws, the files are as they were before. */
export const withRollback = async (change: () => Promise<void>): Promise<void> => {
  const saved = await mkdtemp(join(tmpdir(), 'trellis-'));
  const copy = async (from: string, to: string): Promise<void> => {
    for (const name of WRITTEN)
      await cp(join(from, name), join(to, name), { recursive: true }).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error; // a project has no vendor with packages of the registry
        },
      );
  };
  try {
    await copy('.', saved);
    await change().catch(async (error: unknown) => {
      for (const name of WRITTEN) await rm(name, { recursive: true, force: true });
      await copy(saved, '.');
      throw error;
    });
  } finally {
    await rm(saved, { recursive: true, force: true });
  }
};

/** Replaces what package.json says of some packages, and leaves the rest as it is. */
export const replaceVersions = async (before: Dependencies, packages: Dependencies): Promise<void> => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  for (const key of ['dependencies', 'devDependencies'])
    for (const name of Object.keys(before))
      if (Object.hasOwn(manifest[key] ?? {}, name) && packages[name] !== undefined)
        manifest[key][name] = packages[name];
  await writeFile('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
};
