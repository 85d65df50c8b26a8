import { ConstraintViolation, InvalidValue, StoreUnavailable } from '@trellis/data';
import { type Session, untilWaiting } from '../../support/postgres.ts';
import { add, readBalances, sql, useShop } from './shop.ts';

const shop = useShop();

const open = (id: number, balance = 0) => sql('INSERT INTO accounts VALUES ($1, NULL, $2)', id, balance);

/** How many transactions have committed; the one that asks is not counted. */
const countCommits = async (other: Session): Promise<number> => {
  await other.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await other.query<{ count: string }>(
    'SELECT count(DISTINCT xmin::text) AS count FROM accounts WHERE id >= 10',
  );
  return Number(rows[0]?.count);
};

test('writes with the same text that arrive together share a commit, each with its own result', async () => {
  const { engine, other } = await shop.openNew();
  await engine.run(open(9)); // the schema is ready, and a connection is open
  const ids = Array.from({ length: 100 }, (_, index) => 10 + index);
  const results = await Promise.all(ids.map((id) => engine.run(open(id))));
  expect(results.map(({ numAffectedRows: changed }) => changed)).toEqual(ids.map(() => 1n));
  expect(await countCommits(other)).toBeLessThan(10);
});

test('of writes that share a commit those fail that are at fault, each for its own reason', async () => {
  const { engine } = await shop.openNew();
  const settled = await Promise.allSettled([
    engine.run(open(10)),
    engine.run(open(1)),
    engine.run(open(11, -1)),
    engine.run(sql('INSERT INTO accounts VALUES ($1, NULL, $2)', 'ten', 0)),
    engine.run(open(12)),
  ]);
  expect(settled.map((each) => (each.status === 'fulfilled' ? 'done' : each.reason))).toEqual([
    'done',
    expect.objectContaining({ name: ConstraintViolation.name, kind: 'unique' }),
    expect.objectContaining({ name: ConstraintViolation.name, kind: 'check' }),
    expect.any(InvalidValue),
    'done',
  ]);
  expect(await readBalances(engine)).toEqual([100n, 100n, 0n, 0n]);
});

test('writes to the same row by several services lose nothing', async () => {
  const { engine, url } = await shop.openNew();
  const services = [engine, await shop.open(url)];
  const adding = services.flatMap((service) =>
    Array.from({ length: 50 }, (_, index) => service.run(add(1 + (index % 2), 1))),
  );
  await Promise.all(adding);
  expect(await readBalances(engine)).toEqual([150n, 150n]);
});

test('a write whose connection the server ends before the commit is sent again', async () => {
  const { engine, other } = await shop.openNew();
  await other.query('BEGIN; SELECT FROM accounts WHERE id = 1 FOR UPDATE');
  const added = engine.run(add(1, 5)).catch((error: unknown) => error);
  const [waiting] = await untilWaiting(other);
  const closer = await shop.postgres.openSession(shop.postgres.adminUrl());
  await closer.query('SELECT pg_terminate_backend($1)', [waiting]);
  await other.query('ROLLBACK');
  expect(await added).toMatchObject({ numAffectedRows: 1n });
  expect(await readBalances(engine)).toEqual([105n, 100n]);
});

test('while a table is UNLOGGED writes are refused with the remedy', async () => {
  const { engine, other } = await shop.openNew();
  await other.query('ALTER TABLE letters SET UNLOGGED');
  const failure = await engine.run(add(1, 5)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreUnavailable);
  expect(failure).toMatchObject({
    reason: 'failing',
    cause: { message: expect.stringContaining('ALTER TABLE letters SET LOGGED') },
  });
  await other.query('ALTER TABLE letters SET LOGGED');
  await engine.run(add(1, 1));
  expect(await readBalances(engine)).toEqual([101n, 100n]);
});

test('values of every kind that share a commit are stored exactly, and rows come back to their own callers', async () => {
  const { engine, other } = await shop.openNew();
  await other.query(
    'CREATE TABLE kinds (id bigint, real float8, text text, bytes bytea, flag boolean, list bigint[])',
  );
  const insert = 'INSERT INTO kinds VALUES ($1, $2, $3, $4, $5, $6) RETURNING *';
  const rows = [
    {
      id: 2n ** 63n - 1n,
      real: 0.1,
      text: 'ü\n\\ 🌱',
      bytes: new Uint8Array([0, 255]),
      flag: true,
      list: null,
    },
    { id: -1n, real: -5e-324, text: '', bytes: new Uint8Array(), flag: false, list: null },
    { id: 2n, real: null, text: null, bytes: null, flag: null, list: null },
  ];
  const store = async (all: readonly (typeof rows)[number][]) => {
    const stored = await Promise.all(
      all.map((row) => engine.run<object>(sql(insert, ...Object.values(row)))),
    );
    return stored.map(({ rows: [row] }) => ({ ...row }));
  };
  const asStored = rows.map(({ bytes, ...row }) => ({ ...row, bytes: bytes && Buffer.from(bytes) }));
  expect(await store(rows)).toEqual(asStored);
  const lists = [
    [1n, -(2n ** 63n)],
    [3n, null],
  ];
  const listed = lists.map((list) =>
    engine.run(sql('INSERT INTO kinds (list) VALUES ($1) RETURNING list', list)),
  );
  expect((await Promise.all(listed)).map(({ rows: [row] }) => row)).toEqual(lists.map((list) => ({ list })));
});
