import type { Pool, PoolClient, QueryResult } from 'pg';
import { fieldOf, StoreUnavailable } from '../errors.ts';
import type { Slot } from '../slots.ts';
import type { SqlTransaction } from '../sql.ts';
import { refuseFsync, type TransactionFrame, type TransactionTimes } from './durability.ts';
import { isTransient, toUnavailable } from './errors.ts';
import { createTransaction, type NoteFailure } from './transaction.ts';

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
  failed: NoteFailure,
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
  const beginning = slot.turn.then(prepare).then(async (frame) => ({
    client: await sendBegin(pool, frame, times),
    commitSql: frame.commit,
  }));
  try {
    const { client, commitSql } = await Promise.race([beginning, expired]);
    const transaction = createTransaction(client, commitSql, failed, ended);
    expire = transaction.expire;
    return transaction;
  } catch (error) {
    beginning.then(
      ({ client }) => client.release(true), // it comes too late
      () => {},
    );
    ended();
    const failure = toBeginError(error);
    failed(failure, isTransient(error) || failure.reason === 'readonly');
    throw failure;
  }
};
