import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fieldOf } from '../errors.ts';
import { reasonOf } from './errors.ts';
import { sizeOf, syncFolder } from './file/disk.ts';
import type { Opening } from './protocol.ts';
import { startThread } from './worker.ts';

/** Where a backup goes, and who follows it. */
export interface BackupOptions {
  /** Where the copy goes. */
  readonly file: string;
  /** Aborts the backup: the unfinished copy is removed at once. SQLite cannot stop, so end the process then. */
  readonly signal: AbortSignal;
  /** Called now and then with the bytes that are written, and about how many there will be. */
  readonly onProgress?: ((bytes: number, total: number) => void) | undefined;
}

/** A copy that is complete and on disk. */
export interface Backup {
  readonly rows: number;
  readonly bytes: number;
}

/** A large store takes its time. This is the longest timeout that a timer can have, in milliseconds. */
const TIMEOUT = 2 ** 31 - 1;

/** How often progress is reported, in milliseconds. */
const REPORT_EVERY = 200;

const REMEDIES: Readonly<Record<string, string>> = {
  full: '; make room on its disk, or name a file on another',
  readonly: '; let this user write to its folder, or name a file elsewhere',
};

const cannotWrite = (file: string, cause: unknown, reason: string = reasonOf(cause)): Error => {
  const code = fieldOf(cause, 'code');
  if (code === 'EEXIST')
    return new Error(`${file} is there already; name another file, or move that one away`, { cause });
  const why =
    code === 'ENOENT'
      ? 'there is no such folder; make it first'
      : `${fieldOf(cause, 'message')}${REMEDIES[reason] ?? ''}`;
  return new Error(`${file} cannot be written: ${why}`, { cause });
};

/** Copies one view of a store over a separate thread and connection, so that writers continue. Counts its rows. */
const copyInto = async (draft: string, opening: Opening, count: string, file: string): Promise<number> => {
  const thread = await startThread(opening, TIMEOUT);
  const { failure, counted = 0 } = await thread.ask({ copyInto: draft, count });
  await thread.close();
  if (failure) throw cannotWrite(file, failure.cause, failure.reason);
  return counted;
};

/** Renames the draft once it is on disk. A file that has the name by then keeps it. */
const publish = async (draft: string, file: string): Promise<void> => {
  const handle = await open(draft, 'r+');
  await handle.sync().finally(() => handle.close());
  await link(draft, file).catch((error: unknown) => {
    if (existsSync(file)) throw error;
    return rename(draft, file); // a file system without hard links
  });
  await rm(draft, { force: true });
  await syncFolder(dirname(resolve(file)));
};

/**
 * Copies a store, in use or not, into a file that only its owner may read. The file appears once it is complete, checked
 * and on disk. `count` is a query that counts the rows of the copy.
 */
export const backUpSqlite = async (
  { path, schema }: Omit<Opening, 'options'>,
  count: string,
  { file, signal, onProgress }: BackupOptions,
): Promise<Backup> => {
  const draft = `${resolve(file)}.${randomBytes(6).toString('hex')}.partial`;
  const discard = (): void => {
    for (const each of [draft, `${draft}-journal`]) rmSync(each, { force: true }); // SQLite writes the second beside
  };
  const refuse = (cause: unknown): never => {
    throw cannotWrite(file, cause);
  };
  if (existsSync(file)) refuse({ code: 'EEXIST' });
  signal.addEventListener('abort', discard);
  const reports = setInterval(() => onProgress?.(sizeOf(draft), sizeOf(path)), REPORT_EVERY);
  try {
    try {
      writeFileSync(draft, '', { mode: 0o600, flag: 'wx' }); // at once, so that no signal arrives before it is removed again
    } catch (cause) {
      refuse(cause);
    }
    const rows = await copyInto(draft, { path, schema, options: { mustExist: true } }, count, file);
    await publish(draft, file).catch(refuse);
    return { rows, bytes: sizeOf(file) };
  } finally {
    clearInterval(reports);
    signal.removeEventListener('abort', discard);
    discard();
  }
};
