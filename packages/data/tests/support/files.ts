import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Empty folders for the tests of a file, removed when all are done. */
export const temporaryFolders = () => {
  const made: string[] = [];
  afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true }))));
  return async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'data-test-'));
    made.push(folder);
    return folder;
  };
};

/** A new folder, and the path of a database in a new folder. */
export const useFolders = () => {
  const makeFolder = temporaryFolders();
  return { makeFolder, makePath: async () => join(await makeFolder(), 'store.db') };
};

/** Looks until there is something to see, and returns that; throws if it takes too long. */
export const until = async <T>(
  what: string,
  look: () => Promise<T | undefined>,
  within = 10_000,
): Promise<T> => {
  for (const deadline = Date.now() + within; ; await sleep(10)) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`not within ${within} ms: ${what}`);
  }
};

export const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

export const sizeOf = (path: string): number => statSync(path).size;

/** Starts a program in another process, from its text. */
export const startProgram = (text: string) => {
  const args = ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', text];
  const child = spawn(process.execPath, args, { stdio: 'pipe' });
  return { child, firstLine: async () => String((await once(child.stdout, 'data'))[0]) };
};

const change = (flag: '+i' | '-i', file: string) =>
  spawnSync('chattr', [flag, file], { stdio: 'pipe' }).status;

/** Makes writes to a file fail, even through open handles and for root; returns the function that allows them again. */
export const protect = (file: string): (() => void) => {
  change('+i', file);
  return () => void change('-i', file);
};

/** Whether files can be write-protected here: needs Linux, root and a file system that knows `chattr +i`. */
export const canProtect = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'data-test-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const status = change('+i', file);
  change('-i', file);
  rmSync(folder, { recursive: true });
  return status === 0;
};

/** Whether a small disk can be mounted here. */
export const canMount = (): boolean => process.platform === 'linux' && process.getuid?.() === 0;

/** Mounts a disk of one mebibyte that a test can fill. Unmount it when done. */
export const mountSmallDisk = async (folder: string) => {
  const path = join(folder, 'disk');
  const filler = join(path, 'filler');
  await mkdir(path);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]);
  return {
    path,
    /** Fills the disk to the last byte. */
    async fill(): Promise<void> {
      const file = await open(filler, 'a');
      for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 16))
        while (await file.write(Buffer.alloc(size)).catch(() => undefined));
      await file.close();
    },
    clear: () => rm(filler, { force: true }),
    unmount: () => void execFileSync('umount', ['--lazy', path]),
  };
};
