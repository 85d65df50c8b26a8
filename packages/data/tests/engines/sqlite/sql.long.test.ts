import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { openEngine } from '@trellis/data/internal';
import { startProgram, useFolders } from '../../support/files.ts';
import { ACCOUNTS, noteCommits, openAccounts, put, sql, sumOf, transfer } from './accounts.ts';

const { makePath } = useFolders();

/** A program that opens accounts as `bank`. */
const programOn = (path: string, body: string) =>
  startProgram(`
    import { openEngine } from '@trellis/data/internal';
    const bank = await openEngine(${JSON.stringify(`sqlite:${path}`)}, ${JSON.stringify(ACCOUNTS)}, { timeout: 2000 });
    ${body}`);

/** Starts a process that writes in a transaction, prints a line, and then idles. */
const startIdleTransaction = async (path: string) => {
  const { child, firstLine } = programOn(
    path,
    `const open = await bank.begin({ timeout: 60_000 });
    await open.run({ sql: 'UPDATE accounts SET money = 1000', values: [] });
    console.log('written');
    setInterval(() => {}, 1000);`,
  );
  await firstLine();
  return child;
};

test('a read that takes too long keeps others from reading only until it is given up', async () => {
  // In a separate process, since the statement keeps running in its thread.
  const { child, firstLine } = programOn(
    await makePath(),
    `const read = (sql) => bank.read({ sql, values: [] }).then(({ rows }) => rows.length, ({ reason }) => reason);
    const slow = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    const outcomes = [];
    for (const sql of [slow, 'SELECT 1', slow, 'SELECT 1', slow, 'SELECT 1']) outcomes.push(await read(sql));
    await bank.close();
    console.log(JSON.stringify(outcomes));
    process.exit();`,
  );
  // Two threads are given up; the third statement keeps the last one.
  expect(JSON.parse(await firstLine())).toEqual(['timeout', 1, 'timeout', 1, 'timeout', 'timeout']);
  await once(child, 'close');
}, 120_000);

const kill = async (child: Awaited<ReturnType<typeof startIdleTransaction>>): Promise<void> => {
  child.kill('SIGKILL');
  await once(child, 'close');
};

test('kill -9 in a transaction leaves nothing of it', async () => {
  const path = await makePath();
  const bank = await openAccounts(path);
  await bank.run(put(1, 5));
  await kill(await startIdleTransaction(path));
  await bank.run(put(2, 5));
  expect(await sumOf(bank)).toBe(10n);
  await bank.close();
});

test('a process that is killed in a transaction keeps the others waiting no longer', async () => {
  const path = await makePath();
  const bank = await openAccounts(path);
  await bank.run(put(1, 5));
  const child = await startIdleTransaction(path);
  const waits = bank.run(put(2, 5)); // for its turn
  await kill(child);
  await waits;
  expect(await sumOf(bank)).toBe(10n);
  await bank.close();
});

test('stores that share a file agree on its sums, and none waits long for the others', async () => {
  const path = await makePath();
  const banks = await Promise.all([openAccounts(path), openAccounts(path), openAccounts(path)]);
  const [bank] = banks;
  await Promise.all(Array.from({ length: 8 }, (_, id) => bank.run(put(id, 100))));
  const sums = new Set<bigint>();
  await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const one = banks[index % 3] ?? bank;
      await transfer(one, index % 8, (index * 3 + 1) % 8);
      sums.add(await sumOf(one));
    }),
  );
  expect([...sums]).toEqual([800n]);
  expect((await bank.read(sql('SELECT count(*) AS count FROM notes'))).rows).toEqual([{ count: 300n }]);
  await Promise.all(banks.map(({ close }) => close()));
});

test('writers wait for the transactions of others for a bounded time', async () => {
  const bank = await openAccounts(await makePath());
  const open = await bank.begin({ timeout: 30_000 });
  await open.run(put(1, 5));
  await expect(bank.run(put(2, 5))).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'timeout' });
  await open.commit(); // the thread was not given up as late
  expect(await sumOf(bank)).toBe(5n);
  await bank.close();
}, 20_000);

test('a file that another process keeps locked is reported as busy, unchanged and retryable', async () => {
  const path = await makePath();
  const bank = await openAccounts(path);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const open = await bank.begin({ timeout: 20_000 });
  const refused = await open.run(put(1, 5)).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'StoreUnavailable', reason: 'busy' });
  expect(bank.isRetryable(refused)).toBe(true);
  other.close();
  await bank.run(put(1, 5));
  await bank.close();
}, 20_000);

test('transactions given up while the file was locked do not delay later writes', async () => {
  const path = await makePath();
  const bank = await openAccounts(path);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const transactions = Array.from({ length: 3 }, async (_, id) => {
    const { run } = await bank.begin({ timeout: 3000 });
    await run(put(id, 5));
  });
  for (const outcome of await Promise.allSettled(transactions))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'timeout' } });
  await sleep(3000); // the thread has waited in vain for the first of them, and waits for the next
  other.close();
  const since = performance.now();
  await bank.run(put(1, 5));
  expect(performance.now() - since).toBeLessThan(1000);
  expect(await sumOf(bank)).toBe(5n);
  await bank.close();
}, 20_000);

test('an edited step is refused by its number, and the store is unchanged', async () => {
  const path = await makePath();
  await (await openAccounts(path)).close();
  const [first = ''] = ACCOUNTS.migrations;
  const migrations = [`${first}`.replace('money >= 0', 'money >= -10'), 'CREATE TABLE more (id)'];
  await expect(openEngine(`sqlite:${path}`, { ...ACCOUNTS, migrations })).rejects.toThrow(
    `${path} cannot be used: step 1 of the schema was edited after it had run; restore it`,
  );
  const bank = await openAccounts(path);
  await expect(bank.read(sql('SELECT * FROM more'))).rejects.toThrow('no such table');
  await bank.close();
});

test('the check of an older program keeps the schema version of a newer program', async () => {
  const path = await makePath();
  const older = await openAccounts(path);
  const openNewer = () => openAccounts(path, {}, ['CREATE TABLE more (id INTEGER) STRICT']);
  await (await openNewer()).close();
  expect(await older.check()).toBeUndefined();
  await (await openNewer()).close();
  await older.close();
});

test('a step may replace a table that others refer to, and may leave no reference without its row', async () => {
  const path = await makePath();
  const bank = await openAccounts(path);
  await bank.run(put(1, 5));
  await bank.run(sql('INSERT INTO notes VALUES (1, NULL)'));
  await bank.close();
  const replace = (
    rows: string,
  ) => `CREATE TABLE fresh (id INTEGER PRIMARY KEY, money INTEGER NOT NULL) STRICT;
    INSERT INTO fresh SELECT * FROM accounts ${rows}; DROP TABLE accounts; ALTER TABLE fresh RENAME TO accounts`;
  const open = (step: string) => openAccounts(path, {}, [step]);
  await expect(open(replace('WHERE id > 1'))).rejects.toThrow(
    'its schema leaves a row of notes that refers to no row of accounts; mend the step',
  );
  const newer = await open(replace(''));
  expect(await sumOf(newer)).toBe(5n);
  await expect(newer.run(sql('DELETE FROM accounts'))).rejects.toMatchObject({ kind: 'foreign key' });
  await newer.close();
});

test('a deferred constraint fails only the transaction that violates it, at its commit', async () => {
  const deferred =
    'CREATE TABLE links (account INTEGER REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED) STRICT';
  const { sizes, observer } = noteCommits();
  const bank = await openAccounts(await makePath(), { observer }, [deferred]);
  const results = await Promise.allSettled([
    bank.run(put(1, 5)),
    bank.run(sql('INSERT INTO links VALUES (9)')),
    bank.run(put(2, 5)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(results[1]).toMatchObject({ reason: { kind: 'foreign key' } });
  expect(sizes).toEqual([3]);
  const open = await bank.begin({ timeout: 5000 });
  await open.run(sql('INSERT INTO links VALUES (9)'));
  await expect(open.commit()).rejects.toMatchObject({ kind: 'foreign key' });
  expect(await sumOf(bank)).toBe(10n);
  await bank.close();
});

test('an old store without hashes gets them when it is opened', async () => {
  const path = await makePath();
  await (await openAccounts(path)).close();
  const other = new DatabaseSync(path);
  other.exec('DROP TABLE trellis_steps');
  other.close();
  await (await openAccounts(path)).close();
  const migrations = ACCOUNTS.migrations.map((step) => `${step};`);
  await expect(openEngine(`sqlite:${path}`, { ...ACCOUNTS, migrations })).rejects.toThrow(
    'step 1 of the schema was edited',
  );
});
