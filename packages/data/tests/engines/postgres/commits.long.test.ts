import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnavailable } from '@trellis/data';
import type { SqlEngine } from '@trellis/data/internal';
import { until } from '../../support/files.ts';
import { changeSetting, PGBOUNCER, type Session, startPostgres } from '../../support/postgres.ts';
import { add, BALANCES, readBalances, sql, useShop } from './shop.ts';

const shop = useShop();
const TIMEOUT = { timeout: 5000 };

const reload = async (other: Session, setting: string): Promise<void> => {
  await other.query(`ALTER SYSTEM ${setting}`);
  await other.query('SELECT pg_reload_conf()');
};

/** The backends that wait for a replica. */
const readAwaiting = async (other: Session): Promise<number[]> => {
  const { rows } = await other.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
  );
  return rows.map(({ pid }) => pid);
};

const untilAwaiting = (other: Session): Promise<number> =>
  until('a commit waits for a replica', async () => (await readAwaiting(other))[0]);

/** Until the server has taken up the setting, commits do not wait. */
const untilCommitsWait = (other: Session, probe: Session): Promise<true> =>
  until('commits wait', async () => {
    let isOver = false;
    const over = probe.query("SELECT pg_logical_emit_message(true, 'probe', '')").then(() => {
      isOver = true;
    });
    const [awaiting] = await until('the probe is over or waits', async () => {
      const pids = await readAwaiting(other);
      return isOver || pids.length > 0 ? pids : undefined;
    });
    await other.query('SELECT pg_cancel_backend($1)', [awaiting]);
    await over;
    return awaiting === undefined ? undefined : true;
  });

describe('while a synchronous replica is unavailable', () => {
  let engine: SqlEngine;
  let other: Session;
  beforeEach(async () => {
    const { url, ...opened } = await shop.openNew();
    ({ engine, other } = opened);
    await reload(other, "SET synchronous_standby_names = 'replica'");
    await untilCommitsWait(other, await shop.postgres.openSession(url));
  });
  afterEach(() => reload(other, 'RESET synchronous_standby_names'));

  test.each([
    ['has written', add(1, 1)],
    ['has changed no row', add(3, 1)],
    ['has only read', BALANCES],
  ])('a transaction that %s waits for it', async (_what, statement) => {
    const transaction = await engine.begin(TIMEOUT);
    await transaction.run(statement);
    const committed = transaction.commit();
    expect(await untilAwaiting(other)).toBeGreaterThan(0);
    await reload(other, "SET synchronous_standby_names = ''");
    await committed;
  });

  test.each([
    ['has changed a row', add(1, 1)],
    ['has changed no row', add(3, 1)],
  ])('a write that %s by itself waits for it', async (_what, statement) => {
    const written = engine.run(statement);
    expect(await untilAwaiting(other)).toBeGreaterThan(0);
    await reload(other, "SET synchronous_standby_names = ''");
    await written;
  });

  test('a transaction whose wait is cancelled is not told as durable, nor tried again', async () => {
    const transaction = await engine.begin(TIMEOUT);
    await transaction.run(add(1, 1));
    const committed = transaction.commit().catch((error: unknown) => error);
    await other.query('SELECT pg_cancel_backend($1)', [await untilAwaiting(other)]);
    const failure = await committed;
    expect(failure).toMatchObject({ reason: 'unreachable', cause: { code: '40003' } });
    expect(engine.isRetryable(failure)).toBe(false);
  });
});

test('commits wait for the disk, whatever a role says', async () => {
  const { engine, other } = await shop.openNew();
  await changeSetting(other, 'synchronous_commit = off');
  const { rows } = await engine.run(
    sql(
      "SELECT current_setting('synchronous_commit') AS commits, current_setting('transaction_isolation') AS level",
    ),
  );
  expect(rows).toEqual([{ commits: 'on', level: 'serializable' }]);
});

test('a server that has become a standby reports readonly, which is retryable', async () => {
  const folder = await shop.postgres.makeFolder();
  const server = await startPostgres(folder);
  shop.postgres.closeLater(() => server.stop());
  const engine = await shop.open(await server.createDatabase());
  await server.stopAtOnce();
  await writeFile(join(folder, 'postgres', 'standby.signal'), '');
  server.startAgain().catch(() => {}); // it settles only once the server takes writes
  const failure = await until('the standby answers', async () => {
    const error = await engine.begin(TIMEOUT).catch((reason: unknown) => reason);
    return error instanceof StoreUnavailable && error.reason === 'readonly' ? error : undefined;
  });
  expect(engine.isRetryable(failure)).toBe(true);
  expect(await engine.check()).toBe('readonly');
});

test('while fsync is off no transaction begins', async () => {
  const { engine, other } = await shop.openNew();
  await reload(other, 'SET fsync = off');
  const failure = await until('the setting is taken up', async () => {
    try {
      await (await engine.begin(TIMEOUT)).rollback();
      return undefined;
    } catch (error) {
      return error;
    }
  });
  expect(failure).toMatchObject({
    reason: 'failing',
    cause: { message: expect.stringContaining('set it on') },
  });
  await reload(other, 'RESET fsync');
});

(PGBOUNCER === undefined ? test.skip : test)('transactions run through pgbouncer', async () => {
  const url = await shop.postgres.createDatabase();
  const pgbouncer = await shop.postgres.openPgbouncer(url, 3);
  const [one, two] = await Promise.all([shop.open(pgbouncer), shop.open(pgbouncer)]);
  await Promise.all(Array.from({ length: 20 }, () => [one.run(add(1, 1)), two.run(add(2, 1))]).flat());
  expect(await readBalances(one)).toEqual([120n, 120n]);
});
