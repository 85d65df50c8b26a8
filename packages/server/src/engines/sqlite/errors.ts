import { getSystemErrorName } from 'node:util';
import {
  type ConstraintKind,
  ConstraintViolation,
  fieldOf,
  type Reason,
  StoreOverloaded,
  StoreUnavailable,
} from '../errors.ts';
import type { Answer, Failure } from './protocol.ts';

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

/** An error of SQLite about a statement. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  /** SQLite's extended result code. */
  readonly errcode: number;

  constructor(errcode: number, message: string) {
    super(message);
    this.errcode = errcode;
  }
}

/** SQLITE_ERROR: what is wrong with a statement, if nothing more is known. */
export const GENERIC = 1;

const READONLY = 8;

/** Result codes that a statement is to blame for, and neither the disk nor the file: ERROR, TOOBIG, CONSTRAINT, MISMATCH, RANGE. */
const FAULTS: ReadonlySet<number> = new Set([GENERIC, 18, 19, 20, 25]);

/** Extended result codes of SQLITE_CONSTRAINT, as kinds. */
const KINDS = new Map<number, ConstraintKind>([
  [275, 'check'],
  [787, 'foreign key'],
  [1299, 'not null'],
  [1555, 'unique'], // a primary key
  [2067, 'unique'],
  [2579, 'unique'], // a rowid
]);

const codeOf = (error: unknown): number => Number(fieldOf(error, 'errcode'));

/** Whether a statement itself is at fault. */
export const isFault = (error: unknown): boolean => FAULTS.has(codeOf(error) & 0xff);

/** Whether something was to be written that can only be read. */
export const isReadOnly = (error: unknown): boolean => (codeOf(error) & 0xff) === READONLY;

/** The answer to a request that has failed. Errors lose their fields on their way, so the code goes beside. */
export const toFailure = (cause: unknown, isAtFault = isFault(cause)): Required<Pick<Answer, 'failure'>> => ({
  failure: { reason: reasonOf(cause), cause, fault: isAtFault ? codeOf(cause) : undefined },
});

/** The error of a store that has no statements of its callers: whatever has failed, the store is to blame. */
export const toUnavailable = ({ reason, cause }: Failure): Error =>
  reason === 'overloaded'
    ? new StoreOverloaded(fieldOf(cause, 'message'))
    : new StoreUnavailable(reason, { cause });

/** The error that tells the caller of a statement why it has failed. */
export const toError = (failure: Failure): Error => {
  const { cause, fault } = failure;
  if (fault === undefined) return toUnavailable(failure);
  const error = new SqliteError(fault, fieldOf(cause, 'message'));
  const kind = KINDS.get(fault);
  return kind ? new ConstraintViolation(kind, error) : error;
};
