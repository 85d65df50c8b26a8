import { getSystemErrorName } from 'node:util';
import {
  type ConstraintKind,
  ConstraintViolation,
  fieldOf,
  InvalidValue,
  type Reason,
  StoreOverloaded,
  StoreUnavailable,
  type Violated,
} from '../errors.ts';
import type { Failure } from './protocol.ts';

/** SQLITE_ERROR: a fault of a statement that has no special code. */
export const GENERIC = 1;

/** SQLITE_OK: something else than SQLite has failed. */
const NOT_SQLITE = 0;

/**
 * Result codes (the low byte of the extended ones) of a file that cannot be used now: PERM, BUSY, LOCKED, NOMEM, READONLY,
 * INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOLFS and NOTADB. For any other code the statement is at fault.
 */
const OUTAGES: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 22, 26]);

/** What these codes mean to a caller; the others are `failing`. */
const REASONS: ReadonlyMap<number, Reason> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'readonly'],
  [13, 'full'],
]);

/** The driver throws errors of rows without `errcode`. SQLite's messages, which it does not translate, begin like this. */
const CODES_OF_MESSAGES: readonly (readonly [start: string, errcode: number])[] = [
  ['UNIQUE constraint failed', 2067],
  ['FOREIGN KEY constraint failed', 787],
  ['NOT NULL constraint failed', 1299],
  ['CHECK constraint failed', 275],
  ['cannot store ', 3091],
  ['datatype mismatch', 20],
  ['string or blob too big', 18],
  ['database is locked', 5],
  ['database table is locked', 6],
  ['out of memory', 7],
  ['attempt to write a readonly database', 8],
  ['interrupted', 9],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
  ['unable to open database file', 14],
  ['locking protocol', 15],
  ['file is not a database', 26],
];

/** SQLite's extended result code; undefined for an error of another source. */
export const errcodeOf = (error: unknown): number | undefined => {
  const errcode = fieldOf(error, 'errcode');
  if (errcode !== '') return Number(errcode);
  if (fieldOf(error, 'code') !== 'ERR_SQLITE_ERROR') return undefined;
  const message = fieldOf(error, 'message');
  return CODES_OF_MESSAGES.find(([start]) => message.startsWith(start))?.[1] ?? GENERIC;
};

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
  const [errcode, code] = [errcodeOf(error), fieldOf(error, 'code')];
  if (errcode !== undefined) return isFull(error) ? 'full' : (REASONS.get(errcode & 0xff) ?? 'failing');
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
  /** Where a constraint was violated. */
  readonly violated: Violated | undefined;

  constructor(errcode: number, message: string, options?: ErrorOptions & { readonly violated?: Violated }) {
    super(message, options);
    this.errcode = errcode;
    this.violated = options?.violated;
  }
}

/** Extended result codes of SQLITE_CONSTRAINT, as kinds. */
const KINDS = new Map<number, ConstraintKind>([
  [275, 'check'],
  [787, 'foreign key'],
  [1299, 'not null'],
  [1555, 'unique'], // a primary key
  [2067, 'unique'],
  [2579, 'unique'], // a rowid
]);

/** The kind of constraint that SQLite's extended result code names; undefined for other codes. */
export const violatedKind = (errcode: number | undefined): ConstraintKind | undefined =>
  KINDS.get(errcode ?? NOT_SQLITE);

/** TOOBIG, MISMATCH, and CONSTRAINT_DATATYPE of a STRICT table. */
const OF_A_VALUE: ReadonlySet<number> = new Set([18, 20, 3091]);

const isOfValue = (errcode: number, message: string): boolean =>
  OF_A_VALUE.has(errcode) || /^(integer overflow|too many SQL variables)$/.test(message);

/** Whether the file is not known to be at fault: then the statement is, or this program. */
export const isFault = (error: unknown): boolean => {
  const errcode = errcodeOf(error);
  return errcode === undefined ? fieldOf(error, 'syscall') === '' : !OUTAGES.has(errcode & 0xff);
};

/** The answer to a request that has failed. Errors lose their fields on their way, so these go beside. */
export const toFailure = (cause: unknown, isAtFault = isFault(cause)): { readonly failure: Failure } => ({
  failure: {
    reason: reasonOf(cause),
    cause,
    fault: isAtFault ? (errcodeOf(cause) ?? NOT_SQLITE) : undefined,
    violated: cause instanceof SqliteError ? cause.violated : undefined,
  },
});

/** The error that tells the caller of a statement why it has failed. */
export const toError = ({ reason, cause, fault, violated }: Failure): Error => {
  if (reason === 'overloaded') return new StoreOverloaded(fieldOf(cause, 'message'));
  if (fault === undefined) return new StoreUnavailable(reason, { cause });
  const error = new SqliteError(
    fault,
    fieldOf(cause, 'message'),
    fault === NOT_SQLITE ? { cause } : undefined,
  );
  const kind = violatedKind(fault);
  if (kind) return new ConstraintViolation(kind, error, violated);
  return isOfValue(fault, error.message) ? new InvalidValue(error) : error;
};
