import { open } from 'node:fs/promises';
import { codeOf } from '@trellis/openapi/json';

/** The bytes of a file, or the code of the error that reading it failed with. */
export type ReadResult = Buffer | string;

/** The code for a file that is larger than the limit. */
export const TOO_LARGE = 'EFBIG';

/** Errors of the file itself: it does not exist, or may not be read. */
const FILE_ERRORS = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM']);

/** Whether a read says nothing about the file: no descriptor was free, the disk failed, or the file is too large. */
export const isInconclusive = (result: ReadResult): result is string =>
  typeof result === 'string' && !FILE_ERRORS.has(result);

/** Whether two reads had the same result. */
export const isSameResult = (one: ReadResult, other: ReadResult): boolean =>
  typeof one === 'string' || typeof other === 'string' ? one === other : one.equals(other);

/**
 * Creates a reader of a file of limited size, for one read at a time. All reads share one buffer, so that reading an
 * unchanged file needs no new memory: a result is valid until the next read.
 */
export const createFileReader = (file: string, maxBytes: number): (() => Promise<ReadResult>) => {
  let bytes = Buffer.alloc(16_384);

  const read = async (): Promise<ReadResult> => {
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

  return () => read().catch((error: unknown) => codeOf(error) || 'unknown');
};
