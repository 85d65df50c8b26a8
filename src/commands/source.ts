import { fstatSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';

/** Some thousand lines: a large batch for the store, and little memory. */
const PIECE = 524_288;

/** The usual reasons, in words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'no right to read it',
  EISDIR: 'it is a folder',
};

const openFile = async (file: string) => {
  try {
    if ((await stat(file)).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    const handle = await open(file);
    return { pieces: handle.createReadStream({ highWaterMark: PIECE }), fd: handle.fd };
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = REASONS[code] ?? code;
    throw new Error(`cannot read ${file}: ${reason}; name a file, or - for standard input`, { cause });
  }
};

/**
 * Opens a file, or standard input for `-`, and gives its size in bytes if it is known. Aborting the signal ends reading
 * with an AbortError.
 */
export const openSource = async (file: string, signal: AbortSignal) => {
  const { pieces, fd } =
    file === '-' ? { pieces: process.stdin, fd: process.stdin.fd } : await openFile(file);
  addAbortSignal(signal, pieces);
  const stats = fstatSync(fd);
  return { pieces, size: stats.isFile() ? stats.size : undefined };
};
