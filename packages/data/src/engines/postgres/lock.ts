import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { HeldLock } from '../engine.ts';
import { fieldOf } from '../errors.ts';
import { UnfitDatabase } from './errors.ts';

/** How often a lock is asked for, and how often its holder asks whether the database is still there, in milliseconds. */
const INTERVAL = 1000;

/** How long the database may take to answer, in milliseconds. After that its lock counts as lost. */
const ANSWER_WITHIN = 2000;

/**
 * PostgreSQL takes the lock from a holder, frozen or cut off, after this many milliseconds of silence. That is longer
 * than the interval and the answer together, so that a holder that is not frozen notices before another can take the
 * lock.
 */
const SILENT_FOR = 5000;

/** The longest pause before the next connection, in milliseconds. */
const LONGEST_PAUSE = 5000;

/** The key of an advisory lock, the same in every process. */
export const keyOf = (namespace: string, name: string): bigint =>
  createHash('sha256').update(`${namespace}\0${name}`).digest().readBigInt64BE();

const unknown = () =>
  new UnfitDatabase(
    'DATABASE_URL: the database has no advisory locks, by which one of all services runs background tasks; use PostgreSQL, or start tasks in one service only',
  );

/** Feature not supported, no such function. */
const isUnknown = (error: unknown): boolean => /^(0A000|42883)$/.test(fieldOf(error, 'code'));

/** CockroachDB gives the lock to all clients that ask; PostgreSQL lists its holder. */
const isListed = async (client: pg.Client): Promise<boolean> => {
  const sql = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()";
  return (await client.query(sql)).rowCount !== 0;
};

/**
 * Begins a transaction and tries to take the lock in it. A standby has separate locks, and refuses READ WRITE. At READ
 * COMMITTED, a transaction that waits for its next statement does not delay VACUUM.
 */
const tryLock = async (client: pg.Client, key: bigint): Promise<boolean> => {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE');
  const { rows } = await client
    .query<{ held: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${key}) AS held,
        set_config('idle_in_transaction_session_timeout', '${SILENT_FOR}', true)`,
    )
    .catch((error: unknown) => {
      throw isUnknown(error) ? unknown() : error;
    });
  if (!rows[0]?.held) {
    await client.query('ROLLBACK');
    return false;
  }
  if (!(await isListed(client))) throw unknown();
  return true;
};

/** Cuts the connection. PostgreSQL then rolls back. No goodbye is sent: a silent server would not answer it. */
const hangUp = (client: pg.Client): void => void client.connection.stream.destroy();

/** Watches the connection of a lock that is held. */
const hold = (client: pg.Client): HeldLock => {
  const losing = new AbortController();
  let timer: NodeJS.Timeout;
  let isHeld = true;
  const lose = (): void => {
    if (!isHeld) return;
    isHeld = false;
    clearTimeout(timer);
    hangUp(client);
    losing.abort(new Error('the lock is lost: its connection has ended or is silent'));
  };
  const ask = async (): Promise<void> => {
    try {
      await client.query('SELECT 1');
      if (isHeld) timer = setTimeout(ask, INTERVAL);
    } catch {
      lose();
    }
  };
  timer = setTimeout(ask, INTERVAL);
  client.once('end', lose);
  return {
    lost: losing.signal,
    async release() {
      isHeld = false;
      clearTimeout(timer);
      await client.query('ROLLBACK').catch(() => {}); // the connection ends, and the lock with it
      hangUp(client);
    },
  };
};

/**
 * Waits for an advisory lock, on a separate connection, and retries while the database is unavailable. The lock belongs
 * to a transaction that stays open, not to a session, so that it works through pgbouncer in any mode. Another process
 * takes it within a second or two after a release, and within seven after its holder was frozen or cut off. A holder
 * that was frozen learns of the loss only when it resumes, so work under the lock must be harmless to repeat.
 */
export const takeLock = async (
  url: string,
  connectTimeout: number,
  key: bigint,
  signal: AbortSignal,
): Promise<HeldLock> => {
  for (let pause = INTERVAL; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    signal.throwIfAborted();
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeout,
      query_timeout: ANSWER_WITHIN,
      keepAlive: true,
    });
    client.on('error', () => {}); // its statement fails, or it ends
    try {
      await client.connect();
      while (!(await tryLock(client, key))) await sleep(INTERVAL, undefined, { signal });
      return hold(client);
    } catch (error) {
      hangUp(client);
      if (error instanceof UnfitDatabase) throw error;
    }
    await sleep(pause, undefined, { signal });
  }
};
