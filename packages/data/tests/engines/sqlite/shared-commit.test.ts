import type { SqlEngine, SqlTransaction } from '@trellis/data/internal';
import { useFolders } from '../../support/files.ts';
import { openAccounts, put, sql, sumOf } from './accounts.ts';

const { makePath } = useFolders();
const DEFERRED =
  'CREATE TABLE links (account INTEGER REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED) STRICT';
const open = () => openAccounts(path, {}, [DEFERRED]);

let path: string;
let bank: SqlEngine;
beforeEach(async () => {
  path = await makePath();
  bank = await open();
});
afterEach(() => bank.close());

const begin = (timeout = 2000) => bank.begin({ timeout });

/** Whether a promise settles before a request to the writer's thread, and another to the reader's thread. */
const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let is = false;
  const note = () => {
    is = true;
  };
  promise.then(note, note);
  await bank.check();
  await sumOf(bank);
  return is;
};

/** Ends one transaction while another waits for its turn, which has come when this settles. */
const follow = async (next: SqlTransaction, how: 'commit' | 'rollback' = 'commit') => {
  const first = await begin();
  await first.run(put(1, 5));
  const begun = next.run(put(2, 6));
  const ended = first[how]();
  ended.catch(() => {});
  await begun;
  return { ended };
};

test('transactions that follow each other are committed together, and are seen by others only then', async () => {
  const second = await begin();
  const { ended: committed } = await follow(second);
  expect((await second.run(sql('SELECT sum(money) AS sum FROM accounts'))).rows).toEqual([{ sum: 11n }]);
  expect(await isSettled(committed)).toBe(false);
  expect(await sumOf(bank)).toBe(0n);
  await Promise.all([committed, second.commit()]);
  expect(await sumOf(bank)).toBe(11n);
});

test.each<[string, (second: SqlTransaction) => Promise<unknown>, object | undefined]>([
  ['is rolled back', ({ rollback }) => rollback(), undefined],
  ['fails', ({ run }) => run(put(1, 7)).catch((error: unknown) => error), { kind: 'unique' }],
  ['takes too long', async () => {}, undefined],
])('a transaction that %s does not affect others that share its commit', async (_how, end, outcome) => {
  const second = await begin(300);
  const { ended: committed } = await follow(second);
  const ended = end(second);
  await committed;
  if (outcome) expect(await ended).toMatchObject(outcome);
  expect(await sumOf(bank)).toBe(5n);
  await bank.run(put(3, 1)); // no transaction is open or waits any more
});

test('a rollback, too, settles only with the commit that it shares', async () => {
  const second = await begin();
  const { ended } = await follow(second, 'rollback');
  expect(await isSettled(ended)).toBe(false);
  await Promise.all([ended, second.commit()]);
  expect(await sumOf(bank)).toBe(6n);
});

test('a transaction that makes SQLite roll back everything lets the others retry', async () => {
  const second = await begin();
  const { ended: committed } = await follow(second);
  await expect(second.run(sql('INSERT OR ROLLBACK INTO accounts VALUES (2, 1)'))).rejects.toMatchObject({
    kind: 'unique',
  });
  const undone = await committed.catch((error: unknown) => error);
  expect(undone).toMatchObject({ name: 'StoreUnavailable', reason: 'busy' });
  expect(bank.isRetryable(undone)).toBe(true);
  expect(await sumOf(bank)).toBe(0n);
});

test('a transaction that makes the commit fail is found when each retries alone', async () => {
  const guilty = await begin();
  const first = await follow(guilty);
  await guilty.run(sql('INSERT INTO links VALUES (9)'));
  for (const failed of [guilty.commit(), first.ended])
    expect(bank.isRetryable(await failed.catch((error: unknown) => error))).toBe(true);
  const again = await begin();
  await (await follow(again)).ended; // it does not wait for the other one any more
  await again.run(sql('INSERT INTO links VALUES (9)'));
  await expect(again.commit()).rejects.toMatchObject({ kind: 'foreign key' });
  expect(await sumOf(bank)).toBe(5n);
});

test('no commit waits for a transaction with a timeout longer than the patience of writers', async () => {
  const long = await begin(60_000);
  const { ended: committed } = await follow(long);
  await committed;
  expect(await sumOf(bank)).toBe(5n);
  await long.commit();
  expect(await sumOf(bank)).toBe(11n);
});

test('a close waits for those whose commit waits for others', async () => {
  const forgotten = await begin(500);
  const { ended: committed } = await follow(forgotten);
  await Promise.all([bank.close(), committed]);
  bank = await open();
  expect(await sumOf(bank)).toBe(5n);
});
