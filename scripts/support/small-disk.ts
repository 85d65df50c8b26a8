import { execFileSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../packages/openapi/src/json/error-code.ts';

const MEBIBYTE = 2 ** 20;

/** Why a small disk cannot be mounted here, or `undefined` if it can. */
export const whyNoSmallDisk = (): string | undefined =>
  process.platform === 'linux' && process.getuid?.() === 0
    ? undefined
    : 'needs Linux and root, to mount a small disk';

/** Mounts a disk of a few mebibytes that a test can fill. Unmount it when done. */
export const mountSmallDisk = async (folder: string, mebibytes: number) => {
  const disk = join(folder, 'disk');
  const filler = join(disk, 'filler');
  await mkdir(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', disk]);
  return {
    path: disk,
    /** Fills the disk to the last byte. */
    async fill(): Promise<void> {
      const file = await open(filler, 'a');
      try {
        for (let size = MEBIBYTE; size >= 1; size = Math.floor(size / 16))
          await writeUntilFull(file, Buffer.alloc(size));
      } finally {
        await file.close();
      }
    },
    clear: () => rm(filler, { force: true }),
    unmount: () => void execFileSync('umount', ['--lazy', disk]),
  };
};

const writeUntilFull = async (file: Awaited<ReturnType<typeof open>>, chunk: Buffer): Promise<void> => {
  try {
    for (;;) await file.write(chunk);
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC') throw error;
  }
};
