import { NOBODY, SHOP, sql, useShop } from './shop.ts';

const shop = useShop();
const [FIRST = '', ...REST] = SHOP.migrations;

test('many engines may start at once on an empty database, and each step runs once', async () => {
  const url = await shop.postgres.createDatabase();
  const engines = await Promise.all(
    Array.from({ length: 8 }, () => shop.open(url, { limits: { poolSize: 2 } })),
  );
  const { rows } = await shop.postgres
    .openSession(url)
    .then((session) =>
      session.query('SELECT version, length(hash) AS length FROM shop_schema ORDER BY version'),
    );
  expect(rows).toEqual([1, 2, 3].map((version) => ({ version, length: 64 })));
  expect((await engines[0]?.read(sql('SELECT id FROM accounts')))?.rows).toHaveLength(2);
});

test('a step that was edited after it had run refuses the start', async () => {
  const { url } = await shop.openNew();
  const schema = { ...SHOP, migrations: [FIRST, `${REST[0]} `, ...REST.slice(1)] };
  await expect(shop.open(url, { schema })).rejects.toThrow(/step 2 of the schema was edited/);
});

test('a step that is added later runs at the next start', async () => {
  const { url } = await shop.openNew();
  const schema = {
    ...SHOP,
    migrations: [...SHOP.migrations, 'ALTER TABLE accounts ADD COLUMN note text; SELECT 1'],
  };
  const engine = await shop.open(url, { schema });
  expect((await engine.read(sql('SELECT note FROM accounts'))).rows).toHaveLength(2);
  await expect(shop.open(url)).rejects.toThrow(
    /schema version 4 and this program knows 3; run a newer program/,
  );
});

test('a failing step leaves the database unchanged, and the error names the step', async () => {
  const url = await shop.postgres.createDatabase();
  const schema = { ...SHOP, migrations: [...SHOP.migrations, 'CREATE TABLE accounts (id bigint)'] };
  await expect(shop.open(url, { schema })).rejects.toThrow(
    'DATABASE_URL: step 4 of the schema failed: relation "accounts" already exists',
  );
  const other = await shop.postgres.openSession(url);
  expect((await other.query("SELECT FROM pg_tables WHERE schemaname = 'public'")).rowCount).toBe(0);
});

test('a step may take longer than a statement', async () => {
  const url = await shop.postgres.createDatabase();
  const schema = { ...SHOP, migrations: ['SELECT pg_sleep(0.6)', ...SHOP.migrations] };
  const open = () => shop.open(url, { schema, limits: { statementTimeout: 300 } });
  const engines = await Promise.all([open(), open()]);
  for (const engine of engines) expect(await engine.check()).toBe(undefined);
});

test('an old store without hashes is accepted unchanged, and gets hashes with its next step', async () => {
  const url = await shop.postgres.createDatabase();
  const other = await shop.postgres.openSession(url);
  for (const step of SHOP.migrations) await other.query(typeof step === 'string' ? step : step.postgres);
  await other.query('CREATE TABLE shop_schema (version integer PRIMARY KEY)');
  await other.query('INSERT INTO shop_schema VALUES (3)');
  await shop.open(url);
  expect((await other.query('SELECT * FROM shop_schema')).rows).toEqual([{ version: 3 }]);
  await shop.open(url, { schema: { ...SHOP, migrations: [...SHOP.migrations, 'SELECT 1'] } });
  const { rows } = await other.query(
    'SELECT version FROM shop_schema WHERE hash IS NOT NULL ORDER BY version',
  );
  expect(rows).toEqual([1, 2, 3, 4].map((version) => ({ version })));
});

test('with an up-to-date schema the rights to read and write rows are enough', async () => {
  const { url, other } = await shop.openNew();
  await other.query("CREATE ROLE clerk LOGIN PASSWORD 'clerk'");
  await other.query('GRANT SELECT, INSERT ON shop_schema TO clerk; GRANT SELECT ON accounts TO clerk');
  const asClerk = new URL(url);
  asClerk.username = asClerk.password = 'clerk';
  const engine = await shop.open(asClerk.href);
  expect(await engine.check()).toBe(undefined);
  expect((await engine.read(sql('SELECT id FROM accounts'))).rows).toHaveLength(2);
});

test('a database without the store is refused where it must exist', async () => {
  const url = await shop.postgres.createDatabase();
  await expect(shop.open(url, { mustExist: true })).rejects.toThrow('the database holds no shop');
});

test.each([
  ['an UNLOGGED table', 'CREATE UNLOGGED TABLE cache (id bigint)', /ALTER TABLE cache SET LOGGED/],
  [
    'commits that do not wait',
    'ALTER DATABASE CURRENT SET synchronous_commit = off',
    /synchronous_commit is off/,
  ],
])('%s refuses the start', async (_name, statement, message) => {
  const url = await shop.postgres.createDatabase();
  const other = await shop.postgres.openSession(url);
  await other.query(statement.replace('CURRENT', new URL(url).pathname.slice(1)));
  await expect(shop.open(url)).rejects.toThrow(message);
});

test('a schema that is dropped while the service runs is made again', async () => {
  const { engine, other } = await shop.openNew();
  await other.query('DROP TABLE letters, accounts, shop_schema');
  await expect(engine.read(sql('SELECT id FROM accounts'))).rejects.toMatchObject({ code: '42P01' });
  expect((await engine.read(sql('SELECT id FROM accounts'))).rows).toHaveLength(2);
});

test('a service starts while the database is down, and works once it is up', async () => {
  const url = await shop.postgres.createDatabase();
  const proxy = await shop.postgres.openProxy(url);
  proxy.switchTo(NOBODY);
  const engine = await shop.open(proxy.url);
  const failure = await engine.begin({ timeout: 1000 }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ reason: 'unreachable' });
  expect(engine.isRetryable(failure)).toBe(true);
  proxy.switchTo(Number(new URL(url).port));
  expect((await engine.run(sql('UPDATE accounts SET balance = 1'))).numAffectedRows).toBe(2n);
});
