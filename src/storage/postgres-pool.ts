import pg from 'pg';
import type { PostgresLimits } from './options.ts';

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
  return pool;
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
