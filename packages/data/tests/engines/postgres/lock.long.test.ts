import { once } from 'node:events';
import type { HeldLock } from '@trellis/data/internal';
import { until } from '../../support/files.ts';
import { changeSetting, PGBOUNCER, type Session } from '../../support/postgres.ts';
import { NOBODY, useShop } from './shop.ts';

const shop = useShop();
const { postgres } = shop;
let url: string;
let other: Session;
beforeEach(async () => {
  url = await postgres.createDatabase();
  other = await postgres.openSession(url);
});

const take = async (name = 'mail', from = url, signal = AbortSignal.timeout(20_000)): Promise<HeldLock> => {
  const engine = await shop.open(from, { mayBeUnavailable: true });
  const lock = await engine.lock?.(name, signal);
  if (!lock) throw new Error('PostgreSQL has locks');
  postgres.closeLater(lock.release);
  return lock;
};

/** Whether something has settled within two attempts to take a lock. */
const settles = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), new Promise<boolean>((resolve) => setTimeout(resolve, 2200, false))]);

const holders = async (): Promise<number[]> => {
  const { rows } = await other.query<{ pid: number }>("SELECT pid FROM pg_locks WHERE locktype = 'advisory'");
  return rows.map(({ pid }) => pid);
};

test('a second process gets the lock only after the first releases it', async () => {
  const first = await take();
  const second = take();
  expect(await settles(second)).toBe(false);
  await first.release();
  expect((await second).lost.aborted).toBe(false);
  expect(first.lost.aborted).toBe(false);
});

test('locks with different names do not wait for each other', async () => {
  await take('mail');
  expect((await take('letters')).lost.aborted).toBe(false);
  expect(await holders()).toHaveLength(2);
});

test('a holder whose connection ends is notified, and another takes over', async () => {
  const first = await take();
  const second = take();
  const lost = once(first.lost, 'abort');
  const [holder] = await holders();
  await other.query('SELECT pg_terminate_backend($1)', [holder]);
  await lost;
  expect((await second).lost.aborted).toBe(false);
  expect(await holders()).not.toContain(holder);
  await first.release();
});

test('a holder that is cut off is notified before another gets the lock', async () => {
  const proxy = await postgres.openProxy(url);
  const first = await take('mail', proxy.url);
  let hadFirst = true;
  first.lost.addEventListener('abort', () => {
    hadFirst = false;
  });
  const second = take();
  proxy.fallSilent();
  await second;
  expect(hadFirst).toBe(false);
});

test('takeLock keeps waiting while the database is unavailable', async () => {
  const proxy = await postgres.openProxy(url);
  proxy.switchTo(NOBODY);
  const lock = take('mail', proxy.url);
  expect(await settles(lock)).toBe(false);
  proxy.switchTo(Number(new URL(url).port));
  expect((await lock).lost.aborted).toBe(false);
});

test('a waiting process can give up', async () => {
  await take();
  const giveUp = new AbortController();
  const second = take('mail', url, giveUp.signal).catch((error: unknown) => error);
  await until('the second is connected', async () => {
    const { rowCount } = await other.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'",
    );
    return rowCount === 3 || undefined;
  });
  giveUp.abort();
  expect(await second).toMatchObject({ name: 'AbortError' });
});

test('a database that gives the lock to all clients is refused', async () => {
  await other.query(
    "CREATE FUNCTION pg_try_advisory_xact_lock(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
  );
  await changeSetting(other, 'search_path = public, pg_catalog');
  await expect(take()).rejects.toThrow('the database has no advisory locks');
});

(PGBOUNCER === undefined ? test.skip : test)('the lock can be had through pgbouncer', async () => {
  const pgbouncer = await postgres.openPgbouncer(url, 4);
  const first = await take('mail', pgbouncer);
  const second = take('mail', pgbouncer);
  expect(await settles(second)).toBe(false);
  await first.release();
  const held = await second;
  expect(held.lost.aborted).toBe(false);
  await held.release();
});
