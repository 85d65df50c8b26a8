import { type Reason, StoreUnavailable } from '../plants/repository.ts';

/** SQLSTATEs (PostgreSQL, appendix A) and system errors, as reasons. What is not here, only a person can mend. */
const REASONS: readonly [pattern: RegExp, reason: Reason][] = [
  [/^53100$/, 'full'],
  [/^25006$/, 'readonly'],
  [/^(57014|ETIMEDOUT)$/, 'timeout'],
  // Serialization failure, deadlock; no connection, memory or lock to be had.
  [/^(40...|53...|55P03)$/, 'busy'],
  // A connection that is refused or lost; a server that is starting, stopping, or has had enough of an idle client.
  [/^(08...|57P0[1235]|E(CONN\w+|PIPE|HOST\w+|NET\w+|NOTFOUND|AI_AGAIN|ADDRNOTAVAIL))$/, 'unreachable'],
];

/**
 * After these the same may well succeed in a moment; what has become a standby may have a primary elsewhere.
 * After a timeout whoever asked has waited long enough.
 */
const TRANSIENT: ReadonlySet<Reason> = new Set(['busy', 'unreachable', 'readonly']);

/** A database that cannot keep what the service promises. Waiting will not help; somebody has to mend it. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

/** What an error says of itself under a name; nothing if it says nothing. */
export const fieldOf = (error: unknown, name: 'code' | 'message' | 'routine' | 'syscall'): string =>
  typeof error === 'object' && error !== null && name in error ? String(Reflect.get(error, name)) : '';

/** Whether a statement names a table that is not there. */
export const isUndefinedTable = (error: unknown): boolean => fieldOf(error, 'code') === '42P01';

const codeOf = (error: unknown): string => {
  const code = fieldOf(error, 'code');
  // The Unix socket of a server that is away, and not a certificate that is missing.
  if (code === 'ENOENT' && fieldOf(error, 'syscall') === 'connect') return 'ECONNREFUSED';
  if (code !== '') return code;
  // pg tells some of its own failures by their text alone.
  const message = fieldOf(error, 'message');
  if (/timeout/i.test(message)) return 'ETIMEDOUT';
  return /^(connection terminated|client (has|was))/i.test(message) ? 'ECONNRESET' : '';
};

const reasonOf = (error: unknown): Reason => {
  const code = codeOf(error);
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'failing';
};

/** Whether to try again soon is worth it. */
export const isTransient = (error: unknown): boolean => TRANSIENT.has(reasonOf(error));

/** Whether it takes a person to mend it. */
export const isForGood = (error: unknown): boolean => reasonOf(error) === 'failing';

/** Data, integrity, check option and limits of a row; what PL/pgSQL raises by default. */
const OF_A_ROW = /^(22...|23...|44000|54...|P0...)$/;

/** Where PostgreSQL raises what a trigger or a row-level policy has against a row, under whatever code. */
const RAISED_FOR_A_ROW = /^(exec_stmt_raise|ExecWithCheckOptions)$/;

/** Whether one row may be to blame, so that others are served without it. */
export const isOfRow = (error: unknown): boolean =>
  isForGood(error) &&
  (OF_A_ROW.test(fieldOf(error, 'code')) || RAISED_FOR_A_ROW.test(fieldOf(error, 'routine')));

/** What a failure of PostgreSQL means to whoever asked. */
export const toUnavailable = (cause: unknown): StoreUnavailable =>
  cause instanceof StoreUnavailable ? cause : new StoreUnavailable(reasonOf(cause), { cause });
