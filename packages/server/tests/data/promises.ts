import { jest } from '@jest/globals';
import { sql } from 'kysely';
import { openData } from '../../src/data/data.ts';
import type { Migration } from '../../src/data/schema.ts';
import { ConstraintViolation, StoreUnavailable } from '../../src/engines/errors.ts';

interface Tables {
  account: { id: bigint; owner: string; balance: bigint };
  transfer: { id: string; payer: bigint; payee: bigint; amount: bigint };
}

const MIGRATIONS: readonly Migration[] = [
  'CREATE TABLE account (id bigint PRIMARY KEY, owner text NOT NULL UNIQUE, balance bigint NOT NULL CHECK (balance >= 0))',
  'CREATE TABLE transfer (id text PRIMARY KEY, payer bigint NOT NULL REFERENCES account (id), payee bigint NOT NULL REFERENCES account (id), amount bigint NOT NULL)',
];

/** Notes how the writes end that are followed, as for a trace. */
const followWrites = () => {
  const ends: unknown[] = [];
  const followItem = () => (outcome: unknown) =>
    void ends.push(outcome instanceof Error ? outcome.name : 'committed');
  return { ends, observer: { watchQueue() {}, committed() {}, failed() {}, followItem } };
};

/** What holds for data on every database. */
export const promiseTheSame = (makeUrl: () => Promise<string>): void => {
  const { ends, observer } = followWrites();
  let url: string;
  const open = () =>
    openData<Tables>(
      { databaseUrl: url },
      { name: 'Test bank', migrations: MIGRATIONS },
      { transactionTimeout: 1500, observer },
    );
  let data: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    url = await makeUrl();
    data = await open();
    await data.db
      .insertInto('account')
      .values([
        { id: 1n, owner: 'Ada', balance: 100n },
        { id: 2n ** 62n, owner: 'Grace', balance: 0n },
      ])
      .execute();
  });
  afterEach(() => data.close());

  const [payer, payee] = [1n, 2n ** 62n];
  const balances = async () =>
    (await data.db.selectFrom('account').select('balance').orderBy('id').execute()).map(
      ({ balance }) => balance,
    );
  /** Reads, computes and writes: right only if transactions are serializable. */
  const transfer = (id: string, amount: bigint) =>
    data.transaction(async (tx) => {
      const { balance } = await tx
        .selectFrom('account')
        .select('balance')
        .where('id', '=', payer)
        .executeTakeFirstOrThrow();
      await tx
        .updateTable('account')
        .set({ balance: balance - amount })
        .where('id', '=', payer)
        .execute();
      await tx
        .updateTable('account')
        .set(({ eb }) => ({ balance: eb('balance', '+', amount) }))
        .where('id', '=', payee)
        .execute();
      await tx.insertInto('transfer').values({ id, payer, payee, amount }).execute();
    });

  test('a write gives the rows that it returns, and integers are exact', async () => {
    const changed = await data.db
      .updateTable('account')
      .set({ balance: 2n ** 63n - 1n })
      .where('owner', '=', 'Grace')
      .returning(['id', 'balance'])
      .execute();
    expect(changed).toEqual([{ id: 2n ** 62n, balance: 2n ** 63n - 1n }]);
    const { numAffectedRows } = await sql`UPDATE account SET balance = ${1}`.execute(data.db);
    expect(numAffectedRows).toBe(2n);
    expect(await balances()).toEqual([1n, 1n]);
  });

  test('a count is a bigint', async () => {
    const { count } = await data.db
      .selectFrom('account')
      .select((eb) => eb.fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(2n);
  });

  test('both tables have what a transaction has written', async () => {
    await transfer('t1', 30n);
    expect(await balances()).toEqual([70n, 30n]);
    expect(await data.db.selectFrom('transfer').select('amount').execute()).toEqual([{ amount: 30n }]);
  });

  test('a transaction whose work throws has changed nothing', async () => {
    const bankrupt = new Error('bankrupt');
    const failing = data.transaction(async (tx) => {
      await tx.updateTable('account').set({ balance: 0n }).execute();
      throw bankrupt;
    });
    await expect(failing).rejects.toBe(bankrupt);
    expect(await balances()).toEqual([100n, 0n]);
  });

  test('transactions that read and write the same rows at once lose nothing', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => transfer(`t${index}`, 5n)));
    expect(await balances()).toEqual([0n, 100n]);
  });

  test.each([
    ['unique', () => transfer('t1', 1n).then(() => transfer('t1', 1n))],
    ['check', () => transfer('t1', 101n)],
    [
      'foreign key',
      () => data.db.insertInto('transfer').values({ id: 't1', payer, payee: 3n, amount: 1n }).execute(),
    ],
    ['not null', () => sql`UPDATE account SET owner = NULL`.execute(data.db)],
  ])('a write that breaks a constraint tells which kind: %s', async (kind, write) => {
    await expect(write()).rejects.toMatchObject({ name: 'ConstraintViolation', kind });
    await expect(write()).rejects.toBeInstanceOf(ConstraintViolation);
  });

  test('one of several writes at once breaks a constraint, and the others are stored', async () => {
    const insert = (id: bigint, owner: string) =>
      data.db.insertInto('account').values({ id, owner, balance: 1n }).execute();
    const all = await Promise.allSettled([insert(3n, 'Edsger'), insert(4n, 'Ada'), insert(5n, 'Barbara')]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await data.db.selectFrom('account').select('owner').orderBy('id').execute()).toHaveLength(4);
  });

  test('a transaction that takes too long is rolled back, and writes go on', async () => {
    const forgotten = data.transaction(async (tx) => {
      await tx.updateTable('account').set({ balance: 7n }).execute();
      await data.db.updateTable('account').set({ balance: 8n }).execute(); // waits for this very transaction
      await tx.updateTable('account').set({ balance: 9n }).execute();
    });
    await expect(forgotten).rejects.toMatchObject({ reason: 'timeout' });
    await expect(forgotten).rejects.toBeInstanceOf(StoreUnavailable);
    await data.db.updateTable('account').set({ balance: 10n }).execute();
    expect(await balances()).toEqual([10n, 10n]);
  });

  test('a write that stands alone, and a transaction at its commit, are followed to their ends', async () => {
    ends.length = 0;
    await balances();
    await transfer('t1', 1n);
    await data.db.updateTable('account').set({ balance: 1n }).execute();
    await data.transaction(async () => Promise.reject(new Error('never mind'))).catch(() => {});
    expect(ends).toEqual(['committed', 'committed']);
  });

  test('an observer that throws changes nothing about what is committed', async () => {
    const throwing = (): never => {
      throw new Error('the observer is broken');
    };
    const warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    for (const followItem of [throwing, () => throwing]) {
      const watched = await openData<Tables>(
        { databaseUrl: url },
        { name: 'Test bank', migrations: MIGRATIONS },
        { observer: { watchQueue() {}, committed: throwing, failed: throwing, followItem } },
      );
      await watched.db.deleteFrom('account').where('id', '=', 3n).execute();
      await watched.transaction((tx) =>
        tx.insertInto('account').values({ id: 3n, owner: 'Edsger', balance: 1n }).execute(),
      );
      const { owner } = await watched.db
        .selectFrom('account')
        .select('owner')
        .where('id', '=', 3n)
        .executeTakeFirstOrThrow();
      expect(owner).toBe('Edsger');
      await watched.close();
    }
    expect(warnings).toHaveBeenCalled();
    warnings.mockRestore();
  });

  test('a query that cannot be kept to names the remedy', async () => {
    await expect(
      data.db
        .transaction()
        .setIsolationLevel('read committed')
        .execute(async () => {}),
    ).rejects.toThrow(/leave out setIsolationLevel/);
    await expect(data.db.selectFrom('account').selectAll().stream().next()).rejects.toThrow(/page by page/);
  });

  test('the data says whether it could be written', async () => {
    expect(await data.check()).toBeUndefined();
  });
};

/** What holds for data that outlives its process. */
export const promiseToLast = (makeUrl: () => Promise<string>): void => {
  const open = (databaseUrl: string, migrations: readonly Migration[]) =>
    openData<Tables & { note: { text: string } }>({ databaseUrl }, { name: 'Test bank', migrations });

  test('data without tables is opened, and can be written', async () => {
    const url = await makeUrl();
    const opened = await openData({ databaseUrl: url }, { name: '2 empty rooms', migrations: [] });
    expect(await opened.check()).toBeUndefined();
    await opened.close();
    await (await openData({ databaseUrl: url }, { name: '2 empty rooms', migrations: [] })).close();
  });

  test('a later version of a program adds its steps to what is there', async () => {
    const url = await makeUrl();
    const first = await open(url, MIGRATIONS);
    await first.db.insertInto('account').values({ id: 1n, owner: 'Ada', balance: 5n }).execute();
    await first.close();
    const second = await open(url, [...MIGRATIONS, 'CREATE TABLE note (text text NOT NULL)']);
    await second.db.insertInto('note').values({ text: 'hello' }).execute();
    expect(await second.db.selectFrom('account').select('owner').execute()).toEqual([{ owner: 'Ada' }]);
    await second.close();
    await expect(open(url, MIGRATIONS)).rejects.toThrow(/schema version 3 and this program knows 2/);
  });

  test('a step that has run and was edited since refuses the start', async () => {
    const url = await makeUrl();
    await (await open(url, MIGRATIONS)).close();
    const edited = MIGRATIONS.map((step) => String(step).replace('amount bigint', 'amount text'));
    await expect(open(url, edited)).rejects.toThrow(/step 2/);
  });
};
