import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { SqlResult, SqlStatement, SqlTransaction } from '../engine.ts';
import { StoreUnavailable } from '../errors.ts';
import { createTurns, type Slot } from '../slots.ts';
import { explainBegin, type TransactionFrame, type TransactionTimes } from './durability.ts';
import { isAnswer, isTransient, isUndone, toSqlError, toUnavailable } from './errors.ts';
import { watchCommits } from './pool.ts';
import type { Preparation } from './prepare.ts';
import { toParameter } from './values.ts';

/** A statement in the form that takes one command only, also if it has no values. */
export const toQuery = ({ sql, values }: SqlStatement) => ({
  text: sql,
  values: values.map(toParameter),
  queryMode: 'extended',
});

/** A statement as the driver takes it. */
export type Query = ReturnType<typeof toQuery>;

/** The commands that change the rows that they count; SELECT counts the rows that it finds. */
const CHANGES = /^(INSERT|UPDATE|DELETE|MERGE)$/;

/** Converts the driver's result of a statement. */
export const toResult = <Row>({
  rows,
  command,
  rowCount,
}: QueryResult<Row & QueryResultRow>): SqlResult<Row> => ({
  rows,
  numAffectedRows: CHANGES.test(command) ? BigInt(rowCount ?? 0) : 0n,
});

/**
 * A transaction that was begun on a connection. Its statements run one after the other. A failure rolls it back. `expire`
 * ends it at once, with its connection, and PostgreSQL then rolls it back. `ended` is called once, when the connection is
 * given back.
 */
const createTransaction = (
  client: PoolClient,
  commitSql: string,
  note: Preparation['noteFailure'],
  ended: () => void,
): SqlTransaction & { expire(): void } => {
  const commits = watchCommits(client);
  const inTurn = createTurns();
  let isOver = false;
  /** Why nothing more can be done here: the first failure, that its time is up, or that it has ended. */
  let closed: Error | undefined;

  const end = (isBroken: boolean): void => {
    if (isOver) return;
    isOver = true;
    closed ??= new Error('the transaction has ended');
    commits.stop();
    client.release(isBroken);
    ended();
  };
  const rollBack = async (): Promise<void> => {
    if (isOver) return;
    await client.query('ROLLBACK').then(
      () => end(false),
      () => end(true),
    );
  };
  const attempt = <T>(work: () => Promise<T>, mayRetry: (error: unknown) => boolean): Promise<T> =>
    inTurn(async () => {
      if (closed) throw closed;
      try {
        return await work();
      } catch (error) {
        closed ??= note(toSqlError(error), mayRetry(error));
        const failure = closed;
        if (isAnswer(error)) await rollBack();
        else end(true);
        throw failure;
      }
    });
  return {
    run: <Row>(statement: SqlStatement) =>
      // Nothing is committed yet, whatever happens.
      attempt(async () => toResult<Row>(await client.query(toQuery(statement))), isTransient),
    commit: () =>
      attempt(async () => {
        const results: QueryResult | QueryResult[] = await client.query(commitSql);
        commits.check([results].flat().at(-1));
        end(false);
      }, isUndone),
    rollback: () => inTurn(rollBack),
    expire() {
      closed = new StoreUnavailable('timeout');
      end(true);
    },
  };
};

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
  { prepare, noteFailure }: Preparation,
  times: TransactionTimes,
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
    const transaction = createTransaction(client, commitSql, noteFailure, ended);
    expire = transaction.expire;
    return transaction;
  } catch (error) {
    beginning.then(
      ({ client }) => client.release(true), // it comes too late
      () => {},
    );
    ended();
    throw noteFailure(toUnavailable(error), isTransient(error));
  }
};
