import { until } from '../../../../../tests/support/postgres/conditions.ts';
import {
  LIMITS,
  type Session,
  untilWaiting,
  usePostgres,
} from '../../../../../tests/support/postgres/postgres.ts';
import { StoreUnavailable } from '../../../src/engines/errors.ts';
import { openPostgresEngine, type PostgresEngine } from '../../../src/engines/postgres/engine.ts';

const SCHEMA = {
  name: 'shop',
  namespace: 'shop',
  steps: ['CREATE TABLE things (id bigint PRIMARY KEY, name text NOT NULL)'],
  tables: ['things'],
};

const DELETE = (isDurable: string) => `DELETE FROM things WHERE id = $1::bigint AND ${isDurable}`;

const postgres = usePostgres();
let url: string;
let engine: PostgresEngine;
let other: Session;
beforeEach(async () => {
  url = await postgres.createDatabase();
  engine = await openPostgresEngine(url, LIMITS, SCHEMA);
  other = await postgres.openSession(url);
  await other.query("INSERT INTO things VALUES (1, 'Lamp'), (2, 'Chair')");
});
afterEach(() => engine.close());

const readIds = async () => (await engine.read('SELECT id FROM things ORDER BY id', [])).map(({ id }) => id);

test('a write tells how many rows it has changed', async () => {
  expect([await engine.write(DELETE, [1]), await engine.write(DELETE, [1])]).toEqual([1, 0]);
  expect(await readIds()).toEqual(['2']);
});

test('a read gives the rows that its statement finds', async () => {
  const rows = await engine.read('SELECT id, name FROM things WHERE name = $1', ['Chair']);
  expect(rows).toEqual([{ id: '2', name: 'Chair' }]);
});

test('items that are written together share a statement, each with its own outcome', async () => {
  const batches: number[] = [];
  const remove = engine.batch<number, boolean>(async ({ run }, ids) => {
    batches.push(ids.length);
    const rows = await run<{ id: string }>(
      ({ read }) => `DELETE FROM things WHERE id = ANY($1::bigint[]) AND ${read} RETURNING id`,
      [ids],
    );
    return ids.map((id) => rows.some((row) => row.id === `${id}`));
  });
  expect(await Promise.all([1, 2, 3].map(remove))).toEqual([true, true, false]);
  expect(batches).toEqual([3]);
});

test('a statement that fails is told as the store being unavailable', async () => {
  const failure = { reason: 'failing', cause: { message: 'relation "nowhere" does not exist' } };
  await expect(engine.read('SELECT 1 FROM nowhere', [])).rejects.toMatchObject(failure);
  await expect(
    engine.write((isDurable) => `DELETE FROM nowhere WHERE ${isDurable}`, []),
  ).rejects.toMatchObject(failure);
});

test('while the table is UNLOGGED no write is done, and none is told', async () => {
  await other.query('ALTER TABLE things SET UNLOGGED');
  await expect(engine.write(DELETE, [1])).rejects.toMatchObject({
    reason: 'failing',
    cause: { message: expect.stringContaining('ALTER TABLE things SET LOGGED') },
  });
  expect(await readIds()).toEqual(['1', '2']);
});

test('a write whose connection is cut is not sent again, since it may have been done', async () => {
  await other.query('BEGIN; SELECT FROM things WHERE id = 1 FOR UPDATE');
  const removed = engine.write(DELETE, [1]).catch((error: unknown) => error);
  const [waiting] = await untilWaiting(other);
  await other.query('SELECT pg_terminate_backend($1)', [waiting]);
  expect(await removed).toBeInstanceOf(StoreUnavailable);
  await other.query('ROLLBACK');
  expect(await readIds()).toEqual(['1', '2']);
});

describe('while a synchronous replica is away', () => {
  const reload = async (setting: string) => {
    await other.query(`ALTER SYSTEM ${setting}`);
    await other.query('SELECT pg_reload_conf()');
  };
  /** Tells whether a write is over, or so many writes wait for the replica. */
  const follow = (work: Promise<unknown>, count: number): Promise<string> => {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    return until('the write is over or waits', async () => {
      if (isOver) return 'over';
      const { rowCount } = await other.query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
      return rowCount === count ? 'waits' : undefined;
    });
  };
  afterEach(() => reload('RESET synchronous_standby_names'));

  test.each([
    ['a row', 1, 1],
    ['no row', 3, 0],
  ])('a write that changes %s waits for it', async (_what, id, changed) => {
    await reload("SET synchronous_standby_names = 'replica'");
    // Until the server has taken up the setting, commits do not wait.
    await until('commits wait', async () => {
      const probe = engine.write(DELETE, [99]);
      return (await follow(probe, 1)) === 'waits' || undefined;
    });
    const told = engine.write(DELETE, [id]);
    expect(await follow(told, 2)).toBe('waits');
    await reload("SET synchronous_standby_names = ''");
    expect(await told).toBe(changed);
  });
});
