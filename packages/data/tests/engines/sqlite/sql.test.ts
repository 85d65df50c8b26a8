import { setTimeout as sleep } from 'node:timers/promises';
import { ConstraintViolation, StoreUnavailable } from '@trellis/data';
import type { SqlEngine } from '@trellis/data/internal';
import { useFolders } from '../../support/files.ts';
import { noteCommits, openAccounts, put, sql, sumOf, transfer } from './accounts.ts';

const { makePath } = useFolders();
const { sizes, observer } = noteCommits();

describe.each(['a file', 'memory'])('in %s', (where) => {
  let bank: SqlEngine;
  beforeAll(async () => {
    bank = await openAccounts(where === 'memory' ? ':memory:' : await makePath(), { observer });
  });
  beforeEach(async () => {
    for (const table of ['notes', 'accounts']) await bank.run(sql(`DELETE FROM ${table}`));
    sizes.length = 0;
  });
  afterAll(() => bank.close());

  test('a statement gives the rows that it returns, and how many it has changed', async () => {
    expect(await bank.run(sql('INSERT INTO accounts VALUES (1, 5), (2, 6) RETURNING id, money'))).toEqual({
      rows: [
        { id: 1n, money: 5n },
        { id: 2n, money: 6n },
      ],
      numAffectedRows: 2n,
    });
    expect(await bank.run(sql('UPDATE accounts SET money = 7'))).toEqual({ rows: [], numAffectedRows: 2n });
    const none = sql('INSERT INTO accounts VALUES (1, 9) ON CONFLICT DO NOTHING RETURNING id');
    expect(await bank.run(none)).toEqual({ rows: [], numAffectedRows: 0n });
    expect(await bank.run(sql('SELECT id AS "returning" FROM accounts WHERE id = 1'))).toEqual({
      rows: [{ returning: 1n }],
      numAffectedRows: 0n,
    });
  });

  test('values come back as they went, whole numbers as integers', async () => {
    const values = [1, -(2n ** 63n), 0.5, 2 ** 60, true, null, 'é\u{1F331}', new Uint8Array([0, 255])];
    const { rows } = await bank.read(
      sql(
        'SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f, ? AS g, ? AS h, typeof(?1) AS type',
        ...values,
      ),
    );
    expect(rows).toEqual([
      {
        a: 1n,
        b: -(2n ** 63n),
        c: 0.5,
        d: 2 ** 60,
        e: 1n,
        f: null,
        g: 'é\u{1F331}',
        h: new Uint8Array([0, 255]),
        type: 'integer',
      },
    ]);
  });

  test('a number close to zero is stored exactly', async () => {
    await bank.run(sql('CREATE TABLE prices (price double precision)'));
    const prices = [5e-324, -1e-46, 2 ** -52, 2 ** -51];
    for (const price of prices) await bank.run(sql('INSERT INTO prices VALUES (?)', price));
    const { rows } = await bank.read(sql('SELECT price FROM prices ORDER BY rowid'));
    expect(rows).toEqual(prices.map((price) => ({ price })));
  });

  test.each([
    ['a Date', new Date(), 'pass its toISOString() or getTime()'],
    ['undefined', undefined, 'pass null'],
    ['an object', { a: 1 }, 'pass JSON.stringify of it'],
    ['an integer beyond int64', 2n ** 63n, 'int64'],
    ['a lone surrogate', '\ud800', 'well-formed'],
    ['U+0000', 'a\0b', 'without U+0000'],
    ['NaN', Number.NaN, 'numbers'],
  ])('%s is refused with the remedy, since SQLite would alter it', async (_what, value, remedy) => {
    await expect(bank.run(sql('SELECT ?', value))).rejects.toThrow(remedy);
  });

  test('of statements that arrive together each fails by itself, and the others share a commit', async () => {
    await bank.run(put(1, 5));
    sizes.length = 0;
    const results = await Promise.allSettled([
      bank.run(put(2, 5)),
      bank.run(put(1, 6)),
      bank.run(put(3, -1)),
      bank.run(sql('INSERT INTO notes VALUES (9, NULL)')),
      bank.run(sql('INSERT INTO notes VALUES (NULL, NULL)')),
      bank.run(sql('INSERT INTO nowhere VALUES (1)')),
      bank.run(put(4, 5)),
    ]);
    const kinds = results.map((result) => {
      if (result.status === 'fulfilled') return result.value.numAffectedRows;
      return result.reason instanceof ConstraintViolation ? result.reason.kind : result.reason;
    });
    expect(kinds).toEqual([
      1n,
      'unique',
      'check',
      'foreign key',
      'not null',
      expect.objectContaining({ name: 'SqliteError' }),
      1n,
    ]);
    expect(kinds[5]).toMatchObject({ errcode: 1, message: 'no such table: nowhere' });
    expect(results[1]).toMatchObject({
      reason: { message: 'UNIQUE constraint failed: accounts.id', cause: { errcode: 1555 } },
    });
    expect(await sumOf(bank)).toBe(15n);
    expect(sizes).toEqual([7]);
  });

  test('a statement that makes SQLite roll back all does not fail those that share its commit', async () => {
    await bank.run(put(1, 5));
    const results = await Promise.allSettled([
      bank.run(put(2, 5)),
      bank.run(sql('INSERT OR ROLLBACK INTO accounts VALUES (1, 1)')),
      bank.run(put(3, 5)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await sumOf(bank)).toBe(15n);
  });

  test('a transaction is done whole once it is committed, and not at all if it is rolled back', async () => {
    await Promise.all([bank.run(put(1, 5)), bank.run(put(2, 0))]);
    await transfer(bank, 1, 2);
    const undone = await bank.begin({ timeout: 1000 });
    await undone.run(sql('UPDATE accounts SET money = 99'));
    expect((await undone.run(sql('SELECT money FROM accounts'))).rows).toEqual([
      { money: 99n },
      { money: 99n },
    ]);
    await undone.rollback();
    expect((await bank.read(sql('SELECT money FROM accounts ORDER BY id'))).rows).toEqual([
      { money: 4n },
      { money: 1n },
    ]);
  });

  test('after a failed statement a transaction can only be rolled back, and others continue', async () => {
    await bank.run(put(1, 5));
    const failed = await bank.begin({ timeout: 1000 });
    await failed.run(put(2, 5));
    const failure = await failed.run(put(1, 5)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'unique' });
    await bank.run(put(3, 5)); // the failed transaction blocks no other
    await expect(failed.run(put(4, 5))).rejects.toBe(failure);
    await expect(failed.commit()).rejects.toBe(failure);
    await failed.rollback();
    expect(await sumOf(bank)).toBe(10n);
  });

  test('concurrent transactions run one after the other, and statements of one that do not wait keep their order', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, id) => bank.run(put(id, 10))));
    await Promise.all(
      Array.from({ length: 64 }, (_, index) => transfer(bank, index % 8, (index * 5 + 1) % 8)),
    );
    expect(await sumOf(bank)).toBe(80n);
    const hasty = await bank.begin({ timeout: 1000 });
    const [, sum] = await Promise.all([
      hasty.run(put(9, 1)),
      hasty.run(sql('SELECT sum(money) AS sum FROM accounts')),
      hasty.commit(),
    ]);
    expect(sum.rows).toEqual([{ sum: 81n }]);
  });

  test('a transaction that takes too long is rolled back, rejects with timeout, and lets others write', async () => {
    const slow = await bank.begin({ timeout: 500 });
    await slow.run(put(1, 5));
    await bank.run(put(2, 6)); // waits until the time of the other is up
    for (const late of [slow.run(put(3, 7)), slow.commit()])
      await expect(late).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'timeout' });
    await slow.rollback();
    expect(await sumOf(bank)).toBe(6n);
  });

  test('a transaction that waits for the writer longer than it may gives up', async () => {
    const first = await bank.begin({ timeout: 5000 });
    await first.run(put(1, 5));
    const second = await bank.begin({ timeout: 50 });
    const refused = await second.run(put(2, 5)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreUnavailable);
    expect(refused).toMatchObject({ reason: 'timeout' });
    expect(bank.isRetryable(refused)).toBe(false);
    await first.commit();
    expect(await sumOf(bank)).toBe(5n);
  });

  test('statements do not end transactions of the engine, or change its settings', async () => {
    await bank.run(put(1, 5));
    for (const text of ['COMMIT', '  -- why\n /* not */ rollback', 'PRAGMA synchronous = OFF'])
      await expect(bank.run(sql(text))).rejects.toThrow("is the engine's own");
    expect(await sumOf(bank)).toBe(5n);
  });

  test('a close waits for transactions that are open', async () => {
    const path = await makePath();
    const other = await openAccounts(path);
    const open = await other.begin({ timeout: 5000 });
    await open.run(put(1, 5));
    const closed = other.close();
    await open.commit();
    await closed;
    const again = await openAccounts(path);
    expect(await sumOf(again)).toBe(5n);
    await again.close();
  });
});

test('reads and checks do not wait for a transaction, and see earlier commits', async () => {
  const bank = await openAccounts(await makePath());
  await bank.run(put(1, 5));
  const open = await bank.begin({ timeout: 5000 });
  await open.run(sql('UPDATE accounts SET money = 9'));
  const began = performance.now();
  expect(await sumOf(bank)).toBe(5n);
  expect(await bank.check()).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(4000);
  await open.commit();
  expect(await sumOf(bank)).toBe(9n);
  await bank.close();
});

test('reads do not wait for a statement that takes long', async () => {
  const bank = await openAccounts(await makePath());
  await bank.run(put(1, 5));
  await sumOf(bank); // starts the thread that reads
  const settled: string[] = [];
  const note = (what: string) => () => void settled.push(what);
  const slow = bank
    .run(
      sql(`INSERT INTO notes WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e6)
        SELECT 1, max(i) FROM n`),
    )
    .then(note('write'));
  await sleep(1); // the write is on its way
  await sumOf(bank).then(note('read'));
  await slow;
  expect(settled).toEqual(['read', 'write']);
  await bank.close();
});

test('more writers than may wait are refused, and nothing of theirs is tried', async () => {
  const bank = await openAccounts(await makePath());
  const first = await bank.begin({ timeout: 60_000 });
  await first.run(put(0, 0));
  const results: string[] = [];
  const writers = Array.from({ length: 1100 }, async (_, index) => {
    const writer = await bank.begin({ timeout: 60_000 });
    try {
      await writer.run(put(index + 1, 1));
      await writer.commit();
      results.push('committed');
    } catch (error) {
      results.push(error instanceof Error ? error.name : 'no error');
    }
  });
  await Promise.all(writers.slice(1024)); // those before them wait for the first
  expect(results).toEqual(Array(1100 - 1024).fill('StoreOverloaded'));
  await first.commit();
  await Promise.all(writers);
  expect(results.slice(1100 - 1024)).toEqual(Array(1024).fill('committed'));
  expect(await sumOf(bank)).toBe(1024n);
  await bank.close();
});
