import {
  ConstraintViolation,
  type DataSchema,
  InvalidValue,
  openData,
  type Param,
  StoreUnavailable,
} from '@trellis/data';
import { type Kysely, type RawBuilder, sql } from 'kysely';

type Migrations = DataSchema['migrations'];

interface Tables {
  account: { id: bigint; owner: string; balance: bigint };
  transfer: { id: string; payer: bigint; payee: bigint; amount: bigint };
}

const MIGRATIONS: Migrations = [
  'CREATE TABLE account (id bigint PRIMARY KEY, owner text NOT NULL, balance bigint NOT NULL, CONSTRAINT one_each UNIQUE (owner), CONSTRAINT covered CHECK (balance >= 0))',
  'CREATE TABLE transfer (id text PRIMARY KEY, payer bigint NOT NULL REFERENCES account, payee bigint NOT NULL, amount bigint NOT NULL, CONSTRAINT known_payee FOREIGN KEY (payee) REFERENCES account (id))',
  'CREATE UNIQUE INDEX once ON transfer (payer, payee) WHERE amount = 13',
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

  test('a prepared query runs with its values, alone and in a transaction', async () => {
    const add = data.prepare((db, param: Param<{ id: bigint; amount: bigint }>) =>
      db
        .updateTable('account')
        .set(({ eb }) => ({ balance: eb('balance', '+', param('amount')) }))
        .where('id', '=', param('id')),
    );
    const read = data.prepare((db, param: Param<{ least: bigint }>) =>
      db.selectFrom('account').select('balance').where('balance', '>=', param('least')).orderBy('balance'),
    );
    const missing = await add({ id: 3n, amount: 5n });
    const added = await add({ id: payee, amount: 5n });
    expect([missing.numAffectedRows, added.numAffectedRows]).toEqual([0n, 1n]);
    await data.transaction((tx) => add({ id: payee, amount: 2n }, tx));
    const given = data.transaction(async (tx) => {
      await add({ id: payee, amount: 100n }, tx);
      throw new Error('changed my mind');
    });
    await expect(given).rejects.toThrow('changed my mind');
    expect((await read({ least: 1n })).rows).toEqual([{ balance: 7n }, { balance: 100n }]);
    expect((await read({ least: 8n })).rows).toEqual([{ balance: 100n }]);
  });

  test('a transaction writes to both tables', async () => {
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

  const addAccount = (id: bigint, owner: string) => (db: Kysely<Tables>) =>
    db.insertInto('account').values({ id, owner, balance: 1n }).returning('id');
  const addTransfer = (from: bigint, to: bigint) => (db: Kysely<Tables>) =>
    db.insertInto('transfer').values({ id: 't9', payer: from, payee: to, amount: 13n }).returning('id');
  const change =
    (values: { owner?: string | RawBuilder<string>; balance?: bigint }) => (db: Kysely<Tables>) =>
      db.updateTable('account').set(values).where('id', '=', payer).returning('id');

  test.each([
    ['unique', addAccount(1n, 'Edsger'), { table: 'account', columns: ['id'] }],
    ['unique', addAccount(3n, 'Ada'), { constraint: 'one_each', table: 'account', columns: ['owner'] }],
    ['unique', change({ owner: 'Grace' }), { constraint: 'one_each', columns: ['owner'] }],
    ['unique', addTransfer(payer, payer), { constraint: 'once', columns: ['payer', 'payee'] }],
    ['check', change({ balance: -1n }), { constraint: 'covered', table: 'account', columns: [] }],
    [
      'not null',
      change({ owner: sql<string>`NULL` }),
      { constraint: undefined, table: 'account', columns: ['owner'] },
    ],
    ['foreign key', addTransfer(7n, payee), { table: 'transfer', columns: ['payer'] }],
    ['foreign key', addTransfer(payee, 7n), { constraint: 'known_payee', columns: ['payee'] }],
    [
      'foreign key',
      (db: Kysely<Tables>) => db.deleteFrom('account').where('id', '=', payer).returning('id'),
      { table: 'transfer', columns: [] },
    ],
  ])(
    'a write that breaks a constraint says which, alone and in a transaction: %s %#',
    async (kind, write, where) => {
      await data.db.insertInto('transfer').values({ id: 't0', payer, payee: payer, amount: 13n }).execute();
      const writes = [
        (db: Kysely<Tables>): Promise<unknown> => write(db).clearReturning().execute(),
        (db: Kysely<Tables>): Promise<unknown> => write(db).execute(),
      ];
      for (const execute of writes)
        for (const failing of [execute(data.db), data.transaction(execute)]) {
          await expect(failing).rejects.toBeInstanceOf(ConstraintViolation);
          await expect(failing).rejects.toMatchObject({ kind, ...where });
        }
      expect(await balances()).toEqual([100n, 0n]);
    },
  );

  test('a violation has the same columns where tables have similar names, refer to themselves or index expressions', async () => {
    const run = (text: string) => sql.raw(text).execute(data.db);
    await run('CREATE TABLE page_group (id bigint PRIMARY KEY)');
    await run(
      'CREATE TABLE page (id bigint PRIMARY KEY, title text, in_group bigint REFERENCES page_group (id), above bigint REFERENCES page (id))',
    );
    await run('CREATE UNIQUE INDEX one_title ON page (lower(title))');
    await run('INSERT INTO page_group VALUES (1)');
    await run("INSERT INTO page VALUES (1, 'Ferns', 1, NULL), (2, NULL, 1, 1)");
    for (const [statement, columns] of [
      ['INSERT INTO page VALUES (3, NULL, 7, NULL)', ['in_group']],
      ['INSERT INTO page VALUES (3, NULL, 1, 7)', ['above']],
      ['UPDATE page SET above = 7 WHERE id = 2', ['above']],
      ['DELETE FROM page WHERE id = 1', []],
      ['DELETE FROM page_group', []],
      ["INSERT INTO page VALUES (3, 'FERNS', 1, NULL)", []],
    ] as const)
      await expect(run(statement)).rejects.toMatchObject({ table: 'page', columns });
  });

  test('nothing is in an empty list', async () => {
    const { count } = data.db.fn;
    const counted = (has: 'in' | 'not in') =>
      data.db.selectFrom('account').select(count('id').as('ids')).where('id', has, []).execute();
    expect(await counted('in')).toEqual([{ ids: 0n }]);
    expect(await counted('not in')).toEqual([{ ids: 2n }]);
  });

  test('a value that the database cannot hold is an InvalidValue', async () => {
    const { db } = data;
    const account = db.selectFrom('account').selectAll();
    const refused = [
      account.where('id', '=', 2n ** 63n),
      db.deleteFrom('account').where('id', '=', -(2n ** 63n) - 1n),
      account.limit(2n ** 64n),
      account.limit(0.5),
      account.limit(1e20),
      account.where('id', 'in', Array(70_000).fill(1n)),
      account.where('owner', '=', '\0'),
      change({ owner: '\ud800' })(db),
    ];
    for (const query of refused) await expect(query.execute()).rejects.toBeInstanceOf(InvalidValue);
    expect(await balances()).toEqual([100n, 0n]);
  });

  test('a mistake in a query is not told as an outage, with rows to return or without', async () => {
    for (const query of [sql`SELECT nope`, sql`DELETE FROM nowhere RETURNING id`, sql`SELEC 1`]) {
      const failure = await query.execute(data.db).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect(failure).not.toBeInstanceOf(StoreUnavailable);
    }
  });

  test('a concurrent write that violates a constraint does not affect the other writes', async () => {
    const insert = (id: bigint, owner: string) =>
      data.db.insertInto('account').values({ id, owner, balance: 1n }).execute();
    const all = await Promise.allSettled([insert(3n, 'Edsger'), insert(4n, 'Ada'), insert(5n, 'Barbara')]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await data.db.selectFrom('account').select('owner').orderBy('id').execute()).toHaveLength(4);
  });

  test('a transaction that takes too long is rolled back, and later writes succeed', async () => {
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

  test('a transaction whose function never settles is rejected when its time is up, and later ones succeed', async () => {
    const waiting = data.transaction(async (tx) => {
      await tx.updateTable('account').set({ balance: 7n }).execute();
      await new Promise(() => {});
    });
    await expect(waiting).rejects.toMatchObject({
      name: 'StoreUnavailable',
      reason: 'timeout',
      cause: { message: expect.stringContaining('nothing but queries') },
    });
    await expect(data.transaction(() => new Promise(() => {}))).rejects.toMatchObject({ reason: 'timeout' });
    await transfer('t1', 1n);
    expect(await balances()).toEqual([99n, 1n]);
  });

  test('a write that stands alone, and a transaction at its commit, are followed to their ends', async () => {
    ends.length = 0;
    await balances();
    await transfer('t1', 1n);
    await data.db.updateTable('account').set({ balance: 1n }).execute();
    await data.transaction(async () => Promise.reject(new Error('never mind'))).catch(() => {});
    expect(ends).toEqual(['committed', 'committed']);
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

  test('check reports nothing while writes succeed', async () => {
    expect(await data.check()).toBeUndefined();
  });
};

/** What holds for data that outlives its process. */
export const promiseToLast = (makeUrl: () => Promise<string>): void => {
  const open = (databaseUrl: string, migrations: Migrations) =>
    openData<Tables & { note: { text: string } }>({ databaseUrl }, { name: 'Test bank', migrations });

  test('data without tables is opened, and can be written', async () => {
    const url = await makeUrl();
    const opened = await openData({ databaseUrl: url }, { name: '2 empty rooms', migrations: [] });
    expect(await opened.check()).toBeUndefined();
    await opened.close();
    await (await openData({ databaseUrl: url }, { name: '2 empty rooms', migrations: [] })).close();
  });

  test('a later version of a program adds its steps to existing data', async () => {
    const url = await makeUrl();
    const first = await open(url, MIGRATIONS);
    await first.db.insertInto('account').values({ id: 1n, owner: 'Ada', balance: 5n }).execute();
    await first.close();
    const second = await open(url, [...MIGRATIONS, 'CREATE TABLE note (text text NOT NULL)']);
    await second.db.insertInto('note').values({ text: 'hello' }).execute();
    expect(await second.db.selectFrom('account').select('owner').execute()).toEqual([{ owner: 'Ada' }]);
    await second.close();
    await expect(open(url, MIGRATIONS)).rejects.toThrow(/schema version 4 and this program knows 3/);
  });

  test('a step that has run and was edited since refuses the start', async () => {
    const url = await makeUrl();
    await (await open(url, MIGRATIONS)).close();
    const edited = MIGRATIONS.map((step) => String(step).replace('amount bigint', 'amount text'));
    await expect(open(url, edited)).rejects.toThrow(/step 2/);
  });
};
