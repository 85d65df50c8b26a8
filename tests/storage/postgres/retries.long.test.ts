import { usePostgres } from '../../service/support/postgres.ts';
import { until } from '../../support/postgres/conditions.ts';
import {
  changeSetting,
  endOthers,
  LIMITS,
  type Session,
  untilWaiting,
} from '../../support/postgres/postgres.ts';

const postgres = usePostgres();
const FERN = { id: 1n, name: 'Fern' };

const openBoth = async () => {
  const url = await postgres.createDatabase();
  return { plants: await postgres.openPlants(url), other: await postgres.openSession(url) };
};

/** Takes an id in a transaction that stays open. */
const hold = (other: Session, id: number, name: string) =>
  other.query(`BEGIN; INSERT INTO plants VALUES (${id}, '${name}')`);

describe.each(['read committed', 'serializable'])(
  'at isolation level %s, a create whose id is in the hands of an open transaction',
  (level) => {
    test.each([
      ['COMMIT', 'Moss', 'conflict'],
      ['COMMIT', 'Fern', 'unchanged'],
      ['ROLLBACK', 'Moss', 'created'],
    ])('waits for the %s of the %s, and then gets %s', async (end, name, outcome) => {
      const { plants, other } = await openBoth();
      await changeSetting(other, `default_transaction_isolation = '${level}'`);
      await hold(other, 1, name);
      const created = plants.create(FERN);
      await untilWaiting(other);
      await other.query(end);
      expect(await created).toBe(outcome);
    });
  },
);

test('a create whose connection is cut in the middle is sent again over another', async () => {
  const { plants, other } = await openBoth();
  await hold(other, 1, 'Moss');
  const created = plants.create(FERN);
  const [cut] = await untilWaiting(other);
  await other.query('SELECT pg_terminate_backend($1)', [cut]);
  await until('another backend waits', async () => (await untilWaiting(other)).find((pid) => pid !== cut));
  await other.query('ROLLBACK');
  expect(await created).toBe('created');
});

test('a batch that loses a deadlock is sent again', async () => {
  const { plants, other } = await openBoth();
  await hold(other, 2, 'Moss');
  const batch = Promise.all([plants.create(FERN), plants.create({ id: 2n, name: 'Fern' })]);
  await untilWaiting(other); // the batch holds 1 and waits for 2: it waits longer, so it is aborted
  await other.query("INSERT INTO plants VALUES (1, 'Moss')");
  await other.query('COMMIT');
  expect(await batch).toEqual(['conflict', 'conflict']);
  const deadlocks = await until('the deadlock is counted', async () => {
    const sql = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
    const [row] = (await other.query<{ deadlocks: number }>(sql)).rows;
    return row?.deadlocks || undefined;
  });
  expect(deadlocks).toBe(1);
});

test('connections that were cut while idle are replaced without a failure', async () => {
  const { plants, other } = await openBoth();
  await other.query('BEGIN; LOCK TABLE plants'); // so that each create takes another connection
  const first: Promise<string>[] = [];
  const most = LIMITS.poolSize - 1; // one is left to reads
  for (let id = 1; id <= most; id += 1) {
    first.push(plants.create({ id: BigInt(id), name: 'Fern' }));
    await untilWaiting(other, id);
  }
  await other.query('COMMIT');
  await Promise.all(first);
  const { rowCount } = await endOthers(other);
  expect(rowCount).toBe(most);
  for (let id = 11n; id <= 14n; id += 1n) expect(await plants.create({ id, name: 'Fern' })).toBe('created');
});
