import { StoreUnavailable } from '@trellis/data';
import { openEngine } from '@trellis/data/internal';
import { until } from '../../support/files.ts';
import { endOthers, LIMITS, type Session, untilWaiting } from '../../support/postgres.ts';
import { add, BALANCES, readBalances, SHOP, sql, useShop } from './shop.ts';

const shop = useShop();
const TIMEOUT = { timeout: 5000 };

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  );

/** The backend whose last statement begins like that. */
const backendOf = (other: Session, statement: string): Promise<number> =>
  until(`a backend runs ${statement}`, async () => {
    const { rows } = await other.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND query LIKE $1 || '%' AND state LIKE 'idle in transaction%'`,
      [statement],
    );
    return rows[0]?.pid;
  });

test('a transaction is seen by others once it is committed, and gives the rows of RETURNING', async () => {
  const { engine } = await shop.openNew();
  const transaction = await engine.begin(TIMEOUT);
  const { rows, numAffectedRows } = await transaction.run(
    sql('UPDATE accounts SET balance = balance + 1 RETURNING id, balance'),
  );
  expect(rows).toEqual([
    { id: 1n, balance: 101n },
    { id: 2n, balance: 101n },
  ]);
  expect(numAffectedRows).toBe(2n);
  expect((await transaction.run(BALANCES)).numAffectedRows).toBe(0n);
  expect(await readBalances(engine)).toEqual([100n, 100n]);
  await transaction.commit();
  expect(await readBalances(engine)).toEqual([101n, 101n]);
});

test('a transaction that is rolled back changes nothing, and takes no more statements', async () => {
  const { engine } = await shop.openNew();
  const transaction = await engine.begin(TIMEOUT);
  await transaction.run(add(1, 5));
  await transaction.rollback();
  await transaction.rollback();
  await expect(transaction.run(add(1, 5))).rejects.toThrow('the transaction has ended');
  await expect(transaction.commit()).rejects.toThrow('the transaction has ended');
  expect(await readBalances(engine)).toEqual([100n, 100n]);
});

test('of two conflicting transactions one commits, and the other is retryable', async () => {
  const { engine } = await shop.openNew();
  const [one, two] = await Promise.all([engine.begin(TIMEOUT), engine.begin(TIMEOUT)]);
  for (const transaction of [one, two]) await transaction.run(sql('SELECT sum(balance) FROM accounts'));
  const outcomes = await Promise.all(
    [one, two].map(async (transaction, index) => {
      try {
        await transaction.run(add(index + 1, -100));
        await transaction.commit();
        return 'committed';
      } catch (error) {
        await transaction.rollback();
        return error;
      }
    }),
  );
  const loss = outcomes.find((outcome) => outcome !== 'committed');
  expect(outcomes).toContain('committed');
  expect(loss).toMatchObject({ reason: 'busy', cause: { code: '40001' } });
  expect(engine.isRetryable(loss)).toBe(true);
});

test('after a statement that failed, only a rollback is left', async () => {
  const { engine } = await shop.openNew();
  const transaction = await engine.begin(TIMEOUT);
  await transaction.run(add(1, 5));
  const failure = await errorOf(transaction.run(add(2, -1000)));
  expect(failure).toMatchObject({ name: 'ConstraintViolation', kind: 'check' });
  expect(await errorOf(transaction.run(add(1, 5)))).toBe(failure);
  expect(await errorOf(transaction.commit())).toBe(failure);
  expect(engine.isRetryable(failure)).toBe(false);
  await transaction.rollback();
  expect(await readBalances(engine)).toEqual([100n, 100n]);
});

test('statements of one transaction that are sent at once run one after the other', async () => {
  const { engine } = await shop.openNew();
  const transaction = await engine.begin(TIMEOUT);
  const results = await Promise.all([1, 2, 3].map((amount) => transaction.run(add(1, amount))));
  expect(results.map(({ numAffectedRows: changed }) => changed)).toEqual([1n, 1n, 1n]);
  await transaction.commit();
  expect(await readBalances(engine)).toEqual([106n, 100n]);
});

test('a transaction that loses its connection before COMMIT may be tried again', async () => {
  const { engine, other } = await shop.openNew();
  const transaction = await engine.begin(TIMEOUT);
  await transaction.run(add(1, 5));
  await other.query('SELECT pg_terminate_backend($1)', [await backendOf(other, 'UPDATE accounts')]);
  const failure = await errorOf(transaction.run(add(2, -5)));
  expect(failure).toMatchObject({ reason: 'unreachable' });
  expect(engine.isRetryable(failure)).toBe(true);
  expect(await errorOf(transaction.commit())).toBe(failure);
  await transaction.rollback();
  expect(await readBalances(engine)).toEqual([100n, 100n]);
});

test('a transaction that loses its connection during COMMIT must not be tried again', async () => {
  const { engine, other } = await shop.openNew();
  // A constraint that is checked at the end makes COMMIT wait for a lock.
  await other.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END'`);
  await other.query(`CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait()`);
  await other.query('SELECT pg_advisory_lock(1)');
  const transaction = await engine.begin(TIMEOUT);
  await transaction.run(add(1, 5));
  const committed = errorOf(transaction.commit());
  const [waiting] = await untilWaiting(other);
  await other.query('SELECT pg_terminate_backend($1)', [waiting]);
  const failure = await committed;
  expect(failure).toMatchObject({ reason: 'unreachable' });
  expect(engine.isRetryable(failure)).toBe(false);
});

test('a single write that loses a race for a row is done again', async () => {
  const { engine, other } = await shop.openNew();
  await other.query('BEGIN; UPDATE accounts SET balance = 7 WHERE id = 1');
  const written = engine.run(add(1, 1));
  await untilWaiting(other);
  await other.query('COMMIT');
  expect((await written).numAffectedRows).toBe(1n);
  expect(await readBalances(engine)).toEqual([8n, 100n]);
});

test('a single write whose connection is cut before COMMIT is done again over another', async () => {
  const { engine, other } = await shop.openNew();
  await other.query('BEGIN; SELECT FROM accounts FOR UPDATE');
  const written = engine.run(add(1, 1));
  const [cut] = await untilWaiting(other);
  await other.query('SELECT pg_terminate_backend($1)', [cut]);
  await until('another backend waits', async () => (await untilWaiting(other)).find((pid) => pid !== cut));
  await other.query('COMMIT');
  expect((await written).numAffectedRows).toBe(1n);
});

test('connections that were cut while idle are replaced without a failure', async () => {
  const { engine, other } = await shop.openNew();
  await Promise.all([1, 2, 3].map(() => readBalances(engine)));
  expect((await endOthers(other)).rowCount).toBeGreaterThan(0);
  for (let count = 0; count < 4; count += 1) await engine.run(add(1, 1));
  expect(await readBalances(engine)).toEqual([104n, 100n]);
});

describe('when its time is up', () => {
  test('a transaction that waits is ended, and PostgreSQL lets go of its locks', async () => {
    const { engine, other } = await shop.openNew();
    const transaction = await engine.begin({ timeout: 300 });
    await transaction.run(add(1, 5));
    await other.query('UPDATE accounts SET balance = 7 WHERE id = 1'); // waits for the lock
    const failure = await errorOf(transaction.run(add(2, 5)));
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(failure).toMatchObject({ reason: 'timeout' });
    expect(engine.isRetryable(failure)).toBe(false);
    expect(await errorOf(transaction.commit())).toMatchObject({ reason: 'timeout' });
    await transaction.rollback();
    expect(await readBalances(engine)).toEqual([7n, 100n]);
  });

  test('a transaction in the middle of a statement is ended', async () => {
    const { engine, other } = await shop.openNew();
    await other.query('BEGIN; SELECT FROM accounts FOR UPDATE');
    const transaction = await engine.begin({ timeout: 300 });
    expect(await errorOf(transaction.run(add(1, 5)))).toMatchObject({ reason: 'timeout' });
    await until('PostgreSQL has given it up as well', async () => {
      const { rows } = await other.query('SELECT FROM pg_locks WHERE NOT granted');
      return rows.length === 0 || undefined;
    });
    await other.query('COMMIT');
  });

  test('a transaction of a process that is cut off is ended by PostgreSQL', async () => {
    const { url, other } = await shop.openNew();
    const proxy = await shop.postgres.openProxy(url);
    const engine = await shop.open(proxy.url);
    const transaction = await engine.begin({ timeout: 500 });
    await transaction.run(add(1, 5));
    proxy.fallSilent();
    await other.query('UPDATE accounts SET balance = 7 WHERE id = 1'); // waits for the lock
    expect(await errorOf(transaction.commit())).toMatchObject({ reason: 'timeout' });
  });
});

describe('while transactions hold all connections that they may have', () => {
  const holdAll = async () => {
    const { engine } = await shop.openNew();
    return { engine, held: await Promise.all([1, 2, 3].map(() => engine.begin(TIMEOUT))) };
  };

  test('reads continue', async () => {
    const { engine, held } = await holdAll();
    const next = engine.begin(TIMEOUT);
    expect(await readBalances(engine)).toEqual([100n, 100n]);
    await Promise.all(held.map((transaction) => transaction.rollback()));
    await (await next).rollback();
  });

  test('the next one waits for its turn, and no longer than its time', async () => {
    const { engine, held } = await holdAll();
    const failure = await errorOf(engine.begin({ timeout: 100 }));
    expect(failure).toMatchObject({ reason: 'timeout' });
    const next = engine.begin(TIMEOUT);
    await held[0]?.rollback();
    await (await next).rollback();
    await Promise.all(held.map((transaction) => transaction.rollback()));
  });

  test('a close waits for them', async () => {
    const engine = await openEngine(await shop.postgres.createDatabase(), SHOP, {}, LIMITS);
    const held = await Promise.all([1, 2, 3].map(() => engine.begin(TIMEOUT)));
    let isClosed = false;
    const closed = engine.close().then(() => {
      isClosed = true;
    });
    for (const transaction of held) {
      await transaction.run(add(1, 0));
      expect(isClosed).toBe(false);
      await transaction.rollback();
    }
    await closed;
  });
});
