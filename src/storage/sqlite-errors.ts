import { getSystemErrorName } from 'node:util';
import type { Reason } from '../plants/repository.ts';

/** SQLite's result codes (the low byte of the extended ones), as reasons. */
const REASONS = new Map<number, Reason>([
  [5, 'busy'], // SQLITE_BUSY
  [6, 'busy'], // SQLITE_LOCKED
  [8, 'readonly'], // SQLITE_READONLY
  [13, 'full'], // SQLITE_FULL
]);

/** The system's own codes, as Node.js names them, as reasons. */
const SYSTEM_REASONS = new Map<unknown, Reason>([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'readonly'],
  ['EPERM', 'readonly'],
  ['EROFS', 'readonly'],
]);

/** What SQLite calls an I/O error may have been a disk without room for its shared memory. */
const isFull = (error: object): boolean =>
  'systemErrno' in error && SYSTEM_REASONS.get(getSystemErrorName(-Number(error.systemErrno))) === 'full';

/** What a failure of SQLite, or of the file system, means to whoever asked. */
export const reasonOf = (cause: unknown): Reason => {
  if (typeof cause !== 'object' || cause === null) return 'failing';
  if ('errcode' in cause)
    return REASONS.get(Number(cause.errcode) & 0xff) ?? (isFull(cause) ? 'full' : 'failing');
  if ('code' in cause) return SYSTEM_REASONS.get(cause.code) ?? 'failing';
  return 'cause' in cause ? reasonOf(cause.cause) : 'failing';
};

/** What Node.js and SQLite refuse has a code; what we refuse names its remedy. */
export const remedyOf = (cause: unknown): string => {
  const reason = reasonOf(cause);
  if (reason === 'busy') return '; end the program that keeps it locked, or name another file';
  if (reason === 'full') return '; make room on its disk, or name another file';
  return typeof cause === 'object' && cause !== null && 'code' in cause
    ? '; let this user write to it and to its folder, or name another file'
    : '';
};
