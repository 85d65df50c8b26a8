import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the project is. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Copies these files and folders of the project to another place, where they find the same packages. */
export const copyProject = async (folder: string, names: readonly string[]): Promise<void> => {
  for (const name of names) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
};

/** What Node is started with to run `trellis` from the sources, in whatever folder. */
export const TRELLIS: readonly string[] = [
  '--conditions=source',
  '--import',
  import.meta.resolve('tsx'),
  join(ROOT, 'scripts/trellis.ts'),
];
