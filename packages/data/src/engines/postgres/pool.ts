import pg from 'pg';
import type { PostgresLimits } from '../engine.ts';
import { fieldOf } from '../errors.ts';

/** Creates a pool of connections, which are opened on demand and replaced when they are lost. */
export const createPool = (url: string, limits: PostgresLimits, types: pg.CustomTypesConfig): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    max: limits.poolSize,
    connectionTimeoutMillis: limits.connectTimeout,
    // The driver gives up on a silent server; the server gives up on a statement that the driver has given up on.
    query_timeout: limits.statementTimeout,
    statement_timeout: limits.statementTimeout,
    keepAlive: true,
    pipeline: true,
    types,
    allowExitOnIdle: true, // a silent server does not answer a goodbye either
  });
  pool.on('error', () => {}); // an idle connection was lost: the next statement opens another
  pool.on('connect', (client) => client.on('error', () => {})); // a busy one was lost: its statement fails
  return pool;
};

/** The wait for a synchronous replica was cancelled. The text of the warning is translated; its origin is not. */
const isUnconfirmed = (notice: unknown): boolean => fieldOf(notice, 'routine') === 'SyncRepWaitForLSN';

/** Reported as "statement completion unknown", which is transient: a replay waits for the replica again. */
const unconfirmed = (): Error =>
  Object.assign(new Error('the wait for a synchronous replica was cancelled'), { code: '40003' });

/** Watches a connection for a commit that went without the replicas that it had to wait for. */
export const watchCommits = (client: pg.PoolClient) => {
  let isConfirmed = true;
  const listen = (notice: unknown): void => {
    if (isUnconfirmed(notice)) isConfirmed = false;
  };
  client.on('notice', listen);
  return {
    /** Throws unless the last statement has committed, and has waited for the replicas. */
    check(last: pg.QueryResult | undefined): void {
      if (!isConfirmed) throw unconfirmed();
      if (last?.command !== 'COMMIT') throw new Error('PostgreSQL has rolled back instead');
    },
    stop: (): void => void client.off('notice', listen),
  };
};

const isRefusedSetting = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/.test(error.message);

/** pgbouncer refuses a statement timeout on shared connections. The timeout of the driver must do then. */
export const trySettings = async <T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isRefusedSetting(error)) throw error;
    pool.options.statement_timeout = false;
    return work();
  }
};
