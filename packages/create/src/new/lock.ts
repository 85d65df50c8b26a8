/** package-lock.json of a new project. npm takes ten seconds for it, so it is kept beside the tarballs for the next project. */
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runNpm } from '../npm.ts';
import { commandOf } from './manifest.ts';
import { writeFileIn } from './write.ts';

const LOCK = 'package-lock.json';

/** The lock file of another project with the same packages, under this name. */
const rename = (text: string, name: string): string => {
  const lock = JSON.parse(text);
  const root = { ...lock.packages[''], name, bin: { [commandOf(name)]: 'dist/bin/cli.js' } };
  return `${JSON.stringify({ ...lock, name, packages: { ...lock.packages, '': root } }, null, 2)}\n`;
};

/** Writes the lock file of a project whose package.json and tarballs are there. `tarballs` is where these came from. */
export const writeLock = async (folder: string, name: string, tarballs?: string): Promise<void> => {
  const kept = tarballs && (await readFile(join(tarballs, LOCK), 'utf8').catch(() => undefined));
  if (kept) return writeFileIn(folder, LOCK, rename(kept, name));
  await runNpm(folder, ['install', '--package-lock-only', '--ignore-scripts']);
  if (tarballs) await copyFile(join(folder, LOCK), join(tarballs, LOCK));
};
