import { open } from 'node:fs/promises';

/** What a look at a file finds: its bytes, or the code of the error that it cannot be read for. */
export type Sight = Buffer | string;

/** The code for a file that has more bytes than are read. */
export const TOO_LARGE = 'EFBIG';

/** Errors that tell something about the file: there is none, or it may not be read. */
const OF_THE_FILE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM']);

/** Whether a look told nothing about the file: no descriptor was free, the disk failed, or there is too much of it. */
export const tellsNothing = (sight: Sight): sight is string =>
  typeof sight === 'string' && !OF_THE_FILE.has(sight);

/** Whether two looks found the same. */
export const isSameSight = (one: Sight, other: Sight): boolean =>
  typeof one === 'string' || typeof other === 'string' ? one === other : one.equals(other);

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';

/**
 * Looks at a file of limited size, again and again, one look at a time. The bytes that a look finds are there until the
 * next one: looks that find nothing new need no new memory.
 */
export const createFileLook = (file: string, maxBytes: number): (() => Promise<Sight>) => {
  let bytes = Buffer.alloc(16_384);

  const read = async (): Promise<Sight> => {
    const handle = await open(file);
    try {
      for (let length = 0; length <= maxBytes; ) {
        if (length === bytes.length) bytes = Buffer.concat([bytes], length * 2);
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
        if (bytesRead === 0) return bytes.subarray(0, length);
        length += bytesRead;
      }
      return TOO_LARGE;
    } finally {
      await handle.close();
    }
  };

  return () => read().catch(codeOf);
};
