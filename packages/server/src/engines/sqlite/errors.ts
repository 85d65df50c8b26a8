import { getSystemErrorName } from 'node:util';
import { fieldOf, type Reason } from '../errors.ts';

/** SQLite's result codes (the low byte of the extended ones), as reasons. */
const REASONS = new Map<number, Reason>([
  [5, 'busy'], // SQLITE_BUSY
  [6, 'busy'], // SQLITE_LOCKED
  [8, 'readonly'], // SQLITE_READONLY
  [13, 'full'], // SQLITE_FULL
]);

/** System error codes, as Node.js names them, as reasons. */
const SYSTEM_REASONS = new Map<string, Reason>([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'readonly'],
  ['EPERM', 'readonly'],
  ['EROFS', 'readonly'],
]);

/** SQLite reports an I/O error if the disk has no room for its shared memory. */
const isFull = (error: unknown): boolean => {
  const number = Number(fieldOf(error, 'systemErrno'));
  return number > 0 && SYSTEM_REASONS.get(getSystemErrorName(-number)) === 'full';
};

/** The reason that a failure of SQLite or of the file system gives. */
export const reasonOf = (error: unknown): Reason => {
  const [errcode, code] = [fieldOf(error, 'errcode'), fieldOf(error, 'code')];
  if (errcode !== '') return REASONS.get(Number(errcode) & 0xff) ?? (isFull(error) ? 'full' : 'failing');
  if (code !== '') return SYSTEM_REASONS.get(code) ?? 'failing';
  return typeof error === 'object' && error && 'cause' in error ? reasonOf(error.cause) : 'failing';
};

/** What to do about a failure. Errors of Node.js and SQLite have a code; our own name their remedy already. */
export const remedyOf = (error: unknown): string => {
  const reason = reasonOf(error);
  if (reason === 'busy') return '; end the program that keeps it locked, or name another file';
  if (reason === 'full') return '; make room on its disk, or name another file';
  return fieldOf(error, 'code') === ''
    ? ''
    : '; let this user write to it and to its folder, or name another file';
};
