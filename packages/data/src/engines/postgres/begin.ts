import type { Pool, PoolClient } from 'pg';
import type { SqlTransaction } from '../engine.ts';
import { StoreUnavailable } from '../errors.ts';
import type { Slot } from '../slots.ts';
import { explainBegin, type TransactionFrame, type TransactionTimes } from './durability.ts';
import { isTransient, toUnavailable } from './errors.ts';
import { createTransaction, type NoteFailure } from './transaction.ts';

const sendBegin = async (
  pool: Pool,
  frame: TransactionFrame,
  times: TransactionTimes,
): Promise<PoolClient> => {
  const client = await pool.connect();
  try {
    await client.query(frame.begin(times));
    return client;
  } catch (error) {
    client.release(true);
    throw await explainBegin(pool, error);
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
    commitSql: `${frame.confirm}; COMMIT`,
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
    const failure = toUnavailable(error);
    failed(failure, isTransient(error));
    throw failure;
  }
};
