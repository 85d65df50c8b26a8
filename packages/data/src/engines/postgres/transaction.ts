import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { SqlResult, SqlStatement, SqlTransaction } from '../engine.ts';
import { StoreUnavailable } from '../errors.ts';
import { isAnswer, isTransient, isUndone, toSqlError } from './errors.ts';
import { watchCommits } from './pool.ts';
import { toParameter } from './values.ts';

/** Called with the first failure. `isUndone`: nothing has certainly changed, and another attempt may succeed soon. */
export type NoteFailure = (error: Error, isUndone: boolean) => void;

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
 * A transaction that was begun on a connection. Its statements run one after the other. `expire` ends it at once, with
 * its connection, and PostgreSQL then rolls it back. `ended` is called once, when the connection is given back.
 */
export const createTransaction = (
  client: PoolClient,
  commitSql: string,
  failed: NoteFailure,
  ended: () => void,
): SqlTransaction & { expire(): void } => {
  const commits = watchCommits(client);
  /** Why nothing more can be done here but to roll back. */
  let closed: Error | undefined;
  let isOver = false;
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };

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
    try {
      await client.query('ROLLBACK');
      end(false);
    } catch {
      end(true);
    }
  };

  /** Closes the transaction to all but a rollback, and gives the reason: the first failure, or that its time is up. */
  const close = (error: unknown, isUndoneBy: (error: unknown) => boolean): Error => {
    if (closed) return closed;
    closed = toSqlError(error);
    failed(closed, isUndoneBy(error));
    return closed;
  };

  return {
    run: <Row>(statement: SqlStatement) =>
      inTurn(async () => {
        if (closed) throw closed;
        try {
          return toResult<Row>(await client.query(toQuery(statement)));
        } catch (error) {
          const failure = close(error, isTransient); // nothing is committed yet, whatever has happened
          if (!isAnswer(error)) end(true);
          throw failure;
        }
      }),
    commit: () =>
      inTurn(async () => {
        try {
          if (closed) throw closed;
          const results: QueryResult | QueryResult[] = await client.query(commitSql);
          commits.checkConfirmed();
          if ([results].flat().at(-1)?.command !== 'COMMIT')
            throw new Error('PostgreSQL has rolled back instead');
          end(false);
        } catch (error) {
          const failure = close(error, isUndone);
          if (isAnswer(error)) await rollBack();
          else end(true);
          throw failure;
        }
      }),
    rollback: () => inTurn(rollBack),
    expire() {
      closed = new StoreUnavailable('timeout');
      end(true);
    },
  };
};
