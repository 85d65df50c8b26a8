import type { Pool, PoolClient, QueryResult } from 'pg';
import { fieldOf, StoreUnavailable } from '../errors.ts';
import type { Slot } from '../slots.ts';
import type { SqlTransaction } from '../sql.ts';
import { refuseFsync, type TransactionFrame, type TransactionTimes } from './durability.ts';
import { isTransient, toUnavailable } from './errors.ts';
import { createTransaction, type TransactionObserver } from './transaction.ts';

/** PostgreSQL refuses a serializable transaction on a standby as a feature that it does not have. */
const toBeginError = (cause: unknown): StoreUnavailable =>
  fieldOf(cause, 'code') === '0A000' ? new StoreUnavailable('readonly', { cause }) : toUnavailable(cause);

const sendBegin = async (
  pool: Pool,
  frame: TransactionFrame,
  times: TransactionTimes,
): Promise<PoolClient> => {
  const client = await pool.connect();
  try {
    const results: QueryResult | QueryResult[] = await client.query(frame.begin(times));
    if (![results].flat().at(-1)?.rows[0]?.kept) refuseFsync();
    return client;
  } catch (error) {
    client.release(true);
    throw error;
  }
};

/**
 * Begins a transaction as soon as it has a slot and a connection. Its time runs from now on; when it is up, the
 * transaction is ended wherever it is.
 */
export const beginTransaction = async (
  pool: Pool,
  slot: Slot,
  prepare: () => Promise<TransactionFrame>,
  times: TransactionTimes,
  observer: Omit<TransactionObserver, 'ended'>,
): Promise<SqlTransaction> => {
  let expire = (): void => {};
  const expired = new Promise<never>((_, reject) => {
    expire = () => reject(new StoreUnavailable('timeout'));
  });
  const timer = setTimeout(() => expire(), times.transaction);
  const ended = (): void => {
    clearTimeout(timer);
    slot.leave();
  };
  try {
    await Promise.race([slot.turn, expired]);
    const frame = await Promise.race([prepare(), expired]);
    const beginning = sendBegin(pool, frame, times);
    const client = await Promise.race([beginning, expired]).catch((error: unknown) => {
      beginning.then(
        (late) => late.release(true),
        () => {},
      );
      throw error;
    });
    const transaction = createTransaction(client, frame.commit, { ...observer, ended });
    expire = transaction.expire;
    return transaction;
  } catch (error) {
    ended();
    const failure = toBeginError(error);
    observer.failed(failure, isTransient(error) || failure.reason === 'readonly');
    throw failure;
  }
};
