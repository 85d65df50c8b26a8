import pg from 'pg';
import type { PostgresLimits } from './options.ts';
import { fieldOf, isOfRow } from './postgres-errors.ts';

/** Connections to a PostgreSQL, opened when they are needed and replaced when they are lost. */
export const createPool = (url: string, limits: PostgresLimits): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    max: limits.poolSize,
    connectionTimeoutMillis: limits.connectTimeout,
    // The driver gives up on a server that is silent; the server on a statement that nobody waits for any more.
    query_timeout: limits.statementTimeout,
    statement_timeout: limits.statementTimeout,
    keepAlive: true,
    allowExitOnIdle: true, // a server that is silent does not answer a goodbye either
  });
  pool.on('error', () => {}); // an idle connection was lost: the next statement opens another
  pool.on('connect', (client) => client.on('error', () => {})); // a busy one was lost: its statement tells
  return pool;
};

/** The wait for a synchronous replica was cancelled. The text of the warning is translated; its origin is not. */
const isUnconfirmed = (notice: unknown): boolean => fieldOf(notice, 'routine') === 'SyncRepWaitForLSN';

/** As a failure of its own (statement completion unknown), which may pass: a replay waits for the replica again. */
const unconfirmed = (): Error =>
  Object.assign(new Error('the wait for a synchronous replica was cancelled'), { code: '40003' });

/** Runs a statement and gives its rows; throws if it was committed without the replicas that it had to wait for. */
export const runConfirmed = async <Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: string,
  values: readonly unknown[],
): Promise<Row[]> => {
  const client = await pool.connect();
  let isConfirmed = true;
  const listen = (notice: unknown): void => {
    if (isUnconfirmed(notice)) isConfirmed = false;
  };
  client.on('notice', listen);
  try {
    const { rows } = await client.query<Row>(statement, [...values]);
    if (!isConfirmed) throw unconfirmed();
    client.release();
    return rows;
  } catch (error) {
    client.release(!isOfRow(error)); // a connection that has refused a row is as good as before
    throw error;
  } finally {
    client.off('notice', listen);
  }
};

const isRefusedSetting = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/.test(error.message);

/** pgbouncer lets no client set a time limit on connections that many share: then the driver's alone must do. */
export const trySettings = async <T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isRefusedSetting(error)) throw error;
    pool.options.statement_timeout = false;
    return work();
  }
};
