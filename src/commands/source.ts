import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';

/** Something to read, in chunks of at most 512 KiB. */
export interface Source {
  readonly pieces: Readable;
  /** In bytes; `undefined` if it is not known before the end. */
  readonly size: number | undefined;
}

/** Some thousand lines: a large batch for the store, and little memory. */
const PIECE = 524_288;

/** The usual reasons, in words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'no right to read it',
  EISDIR: 'it is a folder',
};

const unreadable = (file: string, error: unknown): Error => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new Error(`cannot read ${file}: ${REASONS[code] ?? code}; name a file, or - for standard input`, {
    cause: error,
  });
};

const sizeOf = (stats: { isFile(): boolean; readonly size: number }): number | undefined =>
  stats.isFile() ? stats.size : undefined;

const openFile = async (file: string): Promise<Source> => {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return { pieces: handle.createReadStream({ highWaterMark: PIECE }), size: sizeOf(stats) };
  } catch (error) {
    await handle?.close();
    throw unreadable(file, error);
  }
};

/** Opens a file, or standard input for `-`. Aborting the signal ends reading with an AbortError. */
export const openSource = async (file: string, signal: AbortSignal): Promise<Source> => {
  const source =
    file === '-'
      ? { pieces: process.stdin, size: sizeOf(fstatSync(process.stdin.fd)) }
      : await openFile(file);
  addAbortSignal(signal, source.pieces);
  return source;
};
