import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { link, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Reason } from '../plants/repository.ts';
import type { Backup, BackupOptions } from './backup.ts';
import { syncFolder } from './folders.ts';
import { refuseOddPath } from './sqlite.ts';
import { reasonOf } from './sqlite-errors.ts';
import { startThread } from './sqlite-worker.ts';

/** A large store takes its time. This is as long as a timer can be set to, in milliseconds. */
const ANSWERS_WITHIN = 2 ** 31 - 1;

/** How often the size of the growing copy is looked at, in milliseconds. */
const WATCH_EVERY = 200;

const REMEDIES: Partial<Record<Reason, string>> = {
  full: '; make room on its disk, or name a file on another',
  readonly: '; let this user write to its folder, or name a file elsewhere',
};

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

const cannotWrite = (file: string, cause: unknown, reason = reasonOf(cause)): Error => {
  const code = codeOf(cause);
  if (code === 'EEXIST')
    return new Error(`${file} is there already; name another file, or move that one away`, { cause });
  const why = cause instanceof Error ? cause.message : cause;
  const what =
    code === 'ENOENT' ? 'there is no such folder; make it first' : `${why}${REMEDIES[reason] ?? ''}`;
  return new Error(`${file} cannot be written: ${what}`, { cause });
};

/** Makes an empty file that its owner alone may read, beside the one that it is to become. */
const makeDraft = async (file: string): Promise<string> => {
  const draft = `${resolve(file)}.${randomBytes(6).toString('hex')}.partial`;
  if (existsSync(file)) throw cannotWrite(file, { code: 'EEXIST' });
  await writeFile(draft, '', { mode: 0o600, flag: 'wx' }).catch((cause: unknown) => {
    throw cannotWrite(file, cause);
  });
  return draft;
};

/** Copies one view of the store, by a thread and a connection of its own: writers go on. Tells how many plants it holds. */
const copyInto = async (path: string, draft: string, file: string): Promise<number> => {
  const thread = startThread({ path, options: { mustExist: true } }, ANSWERS_WITHIN);
  const { failure: refusal } = await thread.opened;
  if (refusal) throw refusal.cause;
  const { failure, plants = 0 } = await thread.ask({ copyInto: draft });
  await thread.close();
  if (failure) throw cannotWrite(file, failure.cause, failure.reason);
  return plants;
};

/** Gives the draft its name, once it is on disk. Whatever has that name by then keeps it. */
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

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Copies the store of a file, served or not, into another, which is there once it is whole and on disk. */
export const backUpSqlite = async (path: string, { file, signal, watch }: BackupOptions): Promise<Backup> => {
  refuseOddPath(path);
  const draft = await makeDraft(file);
  const discard = (): void => {
    for (const each of [draft, `${draft}-journal`]) rmSync(each, { force: true }); // SQLite writes the second beside
  };
  signal.addEventListener('abort', discard);
  const watching = setInterval(() => watch?.(sizeOf(draft), sizeOf(path)), WATCH_EVERY);
  try {
    const plants = await copyInto(path, draft, file);
    await publish(draft, file).catch((cause: unknown) => {
      throw cannotWrite(file, cause);
    });
    return { plants, bytes: sizeOf(file) };
  } finally {
    clearInterval(watching);
    signal.removeEventListener('abort', discard);
    discard();
  }
};
