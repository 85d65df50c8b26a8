import {
  type ConstraintKind,
  ConstraintViolation,
  fieldOf,
  InvalidValue,
  type Reason,
  StoreUnavailable,
  type Violated,
} from '../errors.ts';

/** SQLSTATEs (PostgreSQL, appendix A) and system errors, as reasons. Any other error takes a person to fix. */
const REASONS: readonly [pattern: RegExp, reason: Reason][] = [
  [/^53100$/, 'full'],
  [/^25006$/, 'readonly'],
  [/^(57014|ETIMEDOUT)$/, 'timeout'],
  // A connection that is refused or lost; a server that is starting, stopping, or closes idle connections; a commit
  // whose outcome is unknown.
  [/^(08...|40003|57P0[1235]|E(CONN\w+|PIPE|HOST\w+|NET\w+|NOTFOUND|AI_AGAIN|ADDRNOTAVAIL))$/, 'unreachable'],
  // Serialization failure, deadlock; no connection, memory or lock to be had.
  [/^(40...|53...|55P03)$/, 'busy'],
];

/**
 * After these a retry may well succeed: a server that has become a standby may have a primary elsewhere. Not after a
 * timeout: the caller has waited long enough.
 */
const TRANSIENT: ReadonlySet<Reason> = new Set(['busy', 'unreachable', 'readonly']);

/** The database cannot keep the promises of the service. A retry does not help; an operator has to fix it. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

/** Whether a statement failed because its table does not exist. */
export const isUndefinedTable = (error: unknown): boolean => fieldOf(error, 'code') === '42P01';

const codeOf = (error: unknown): string => {
  const code = fieldOf(error, 'code');
  // The Unix socket of a server that is down, not a certificate file that is missing.
  if (code === 'ENOENT' && fieldOf(error, 'syscall') === 'connect') return 'ECONNREFUSED';
  if (code !== '') return code;
  // Some errors of the driver have no code, only a text.
  const message = fieldOf(error, 'message');
  if (/timeout/i.test(message)) return 'ETIMEDOUT';
  return /^(connection terminated|client (has|was))/i.test(message) ? 'ECONNRESET' : '';
};

const reasonOf = (error: unknown): Reason => {
  const code = codeOf(error);
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'failing';
};

/** Whether a retry may succeed soon. */
export const isTransient = (error: unknown): boolean => TRANSIENT.has(reasonOf(error));

/** After these errors PostgreSQL has certainly done nothing; after a lost connection that is unknown. */
const UNDONE = /^(25006|40001|40P01|53...|55P03|57P03|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL)$/;

/** Whether the COMMIT, or something before it, could not be sent: the connection had been cut. */
const isUnsent = (error: unknown): boolean => fieldOf(error, 'syscall') === 'write';

/** Whether a retry may succeed soon, and the first attempt has certainly changed nothing. */
export const isUndone = (error: unknown): boolean =>
  isTransient(error) && (UNDONE.test(codeOf(error)) || isUnsent(error));

/** Whether it takes a person to fix. */
export const isForGood = (error: unknown): boolean => reasonOf(error) === 'failing';

/** Whether the database has answered that it refuses a statement, and waits for the next. */
export const isAnswer = (error: unknown): boolean =>
  isForGood(error) || (isUndone(error) && !isUnsent(error));

/** Whether the server has said so, rather than that its connection was lost. */
export const isFromServer = (error: unknown): boolean => fieldOf(error, 'severity') !== '';

/** Whether the values of a statement may have caused its failure: with other values its text may succeed. */
export const isOfValues = (error: unknown): boolean => {
  if (error instanceof StoreUnavailable) return false;
  const isOfText = fieldOf(error, 'code').startsWith('42'); // a syntax error, an unknown name, a missing right
  return !isOfText || fieldOf(error, 'routine') === 'ExecWithCheckOptions'; // a row-level policy has refused a row
};

/** Translates a failure of PostgreSQL for the caller of a store. */
export const toUnavailable = (cause: unknown): StoreUnavailable =>
  cause instanceof StoreUnavailable ? cause : new StoreUnavailable(reasonOf(cause), { cause });

const CONSTRAINTS: ReadonlyMap<string, ConstraintKind> = new Map([
  ['23505', 'unique'],
  ['23503', 'foreign key'],
  ['23001', 'foreign key'],
  ['23502', 'not null'],
  ['23514', 'check'],
]);

/** The columns that a detail names: `Key (owner)=(Ada) already exists.` Translations keep the parentheses. */
const COLUMNS = /\((.*?)\)=\(/s;

/** The quotes around names in messages, in any language. */
const QUOTES = /["«»„“”「」]/g;

/**
 * Where a constraint was violated. If other rows refer to the row, the message has three names, and the detail lists the
 * columns that they refer to.
 */
const violatedBy = (error: Error, kind: ConstraintKind): Violated => {
  const isReferred = kind === 'foreign key' && [...error.message.matchAll(QUOTES)].length > 4;
  const key = isReferred ? undefined : COLUMNS.exec(fieldOf(error, 'detail'))?.[1];
  const isExpression = key?.replaceAll(/".*?"/g, '').includes('(');
  const listed = fieldOf(error, 'column') || (isExpression ? undefined : key);
  return {
    constraint: fieldOf(error, 'constraint') || undefined,
    table: fieldOf(error, 'table') || undefined,
    columns: listed?.split(', ').map((column) => column.replace(/^"(.*)"$/, '$1')),
  };
};

/** SQLSTATEs that take a person to fix, and are no fault of the statement: of the role, the database or the server. */
const OF_SERVER = /^(25...|28...|3D000|57...|58...|F0...|XX...)$/;

/** Data exceptions, and a value that is too long for an index. */
const OF_A_VALUE = /^(22...|54000)$/;

/** Whether the server refuses connections: the driver has texts for that, and TLS has codes that are no SQLSTATEs. */
const isRefusedConnection = (error: Error): boolean =>
  /^(SASL|The server does not support SSL|There was an error establishing an SSL)/.test(error.message) ||
  /^(ERR_(TLS|SSL|OSSL)_\w+|(?!ERR_)[A-Z]+_[A-Z_]+)$/.test(fieldOf(error, 'code'));

/** Translates the failure of a statement that was not written here: its own fault stays the database's error. */
export const toSqlError = (error: unknown): Error => {
  if (!(error instanceof Error)) return toUnavailable(error);
  const code = fieldOf(error, 'code');
  const kind = CONSTRAINTS.get(code);
  if (kind) return new ConstraintViolation(kind, error, violatedBy(error, kind));
  if (OF_A_VALUE.test(code)) return new InvalidValue(error);
  const isOutage =
    error instanceof UnfitDatabase ||
    !isForGood(error) ||
    OF_SERVER.test(code) ||
    isRefusedConnection(error) ||
    fieldOf(error, 'syscall') !== '';
  return isOutage ? toUnavailable(error) : error;
};
