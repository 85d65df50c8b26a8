import { type Reason, StoreUnavailable } from '../plants/repository.ts';

/**
 * SQLSTATEs (PostgreSQL, appendix A) and system errors after which the same may well succeed in a moment:
 * serialization failure, deadlock, lost or refused connection, a server that is stopping or starting, one that
 * has become a standby.
 */
const TRANSIENT =
  /^(40001|40P01|40003|08...|57P0[1-3]|53300|25006|E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN))$/;

const REASONS: readonly [pattern: RegExp, reason: Reason][] = [
  [/^53100$/, 'full'],
  [/^25006$/, 'readonly'],
  [/^(57014|ETIMEDOUT)$/, 'timeout'],
  [/^(40001|40P01|53...)$/, 'busy'],
  [/^(08...|57P0[1-3]|E[A-Z_]+)$/, 'unreachable'],
];

const fieldOf = (error: unknown, name: 'code' | 'message'): string =>
  typeof error === 'object' && error !== null && name in error ? String(Reflect.get(error, name)) : '';

/** pg tells some of its own failures by their text alone. */
const codeOf = (error: unknown): string => {
  const code = fieldOf(error, 'code');
  if (code !== '') return code;
  const message = fieldOf(error, 'message');
  if (/timeout/i.test(message)) return 'ETIMEDOUT';
  return /connection|client/i.test(message) ? 'ECONNRESET' : '';
};

/** Whether to try again soon is worth it. */
export const isTransient = (error: unknown): boolean => TRANSIENT.test(codeOf(error));

/** What a failure of PostgreSQL means to whoever asked. */
export const toUnavailable = (cause: unknown): StoreUnavailable => {
  const code = codeOf(cause);
  const [, reason = 'failing'] = REASONS.find(([pattern]) => pattern.test(code)) ?? [];
  return new StoreUnavailable(reason, { cause });
};
