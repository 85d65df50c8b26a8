import { TOKEN } from '../../../packages/server/tests/support/service.ts';
import { openStore } from '../../../src/store.ts';
import { runCli } from '../../service/support/cli.ts';
import { usePostgres } from '../../service/support/postgres.ts';
import { runProcess } from '../../service/support/process.ts';
import type { Session } from '../../support/postgres/postgres.ts';
import { LIMITS } from '../../support/postgres/postgres.ts';

const postgres = usePostgres();

/** Readies a database that is not fit in one way, and tells its URL. */
type Ready = (url: string, session: Session) => Promise<string> | string;

const change = (url: string, parts: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'search'>>) =>
  Object.assign(new URL(url), parts).href;

const inEncoding =
  (encoding: string): Ready =>
  async (url, session) => {
    const name = `in_${encoding.toLowerCase()}`;
    await session.query(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE 'C' ENCODING '${encoding}'`);
    return change(url, { pathname: name });
  };

const holding =
  (...statements: readonly string[]): Ready =>
  async (url, session) => {
    for (const statement of statements) await session.query(statement);
    return url;
  };

/** An engine with the protocol of PostgreSQL that lacks a required function. */
const WITHOUT_EMIT =
  'ALTER FUNCTION pg_logical_emit_message(boolean, text, text, boolean) RENAME TO pg_emit_nothing';

const REFUSALS: readonly [what: string, ready: Ready, reason: string][] = [
  [
    'a wrong password',
    (url) => change(url, { password: 'hunter2-or-3' }),
    'password authentication failed for user "gardener"',
  ],
  [
    'a database that is not there',
    (url) => change(url, { pathname: 'nowhere' }),
    'database "nowhere" does not exist',
  ],
  [
    'TLS that the server does not speak',
    (url) => change(url, { search: 'sslmode=verify-full' }),
    'The server does not support SSL connections',
  ],
  [
    'a certificate file that is not there',
    (url) => change(url, { search: 'sslmode=verify-full&sslrootcert=/none.pem' }),
    "ENOENT: no such file or directory, open '/none.pem'",
  ],
  ['an invalid URL', () => 'postgres://gardener:hunter2@127.0.0.1:port/plants', 'Invalid URL'],
  [
    'a newer database',
    holding(
      'CREATE TABLE plant_store_schema (version integer PRIMARY KEY)',
      'INSERT INTO plant_store_schema VALUES (99)',
    ),
    'the database has schema version 99 and this program knows 1; run a newer program',
  ],
  [
    'a database in SQL_ASCII',
    inEncoding('SQL_ASCII'),
    "the database is in SQL_ASCII; create it WITH ENCODING 'UTF8'",
  ],
  ['a database in LATIN1', inEncoding('LATIN1'), "the database is in LATIN1; create it WITH ENCODING 'UTF8'"],
  [
    'a database whose commits can be lost',
    async (url, session) => {
      await session.query(`ALTER DATABASE ${session.database} SET synchronous_commit = off`);
      return url;
    },
    'synchronous_commit is off, so commits can be lost; set it on',
  ],
  [
    'an engine that is neither PostgreSQL nor known to commit by consensus',
    holding(WITHOUT_EMIT),
    'the database lacks pg_logical_emit_message, so whether its commits are durable is unknown; use PostgreSQL',
  ],
  [
    'a table plants of another program',
    holding('CREATE TABLE plants (id integer, species text)'),
    'step 1 of the schema failed: relation "plants" already exists; mend it, or name another database',
  ],
];

/** The tables that are in a database. */
const readTables = async (session: Session): Promise<string[]> => {
  const { rows } = await session.query<{ tablename: string }>(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  );
  return rows.map(({ tablename }) => tablename);
};

const makeUrl = async (ready: Ready): Promise<string> => {
  const url = await postgres.createDatabase();
  const session = await postgres.openSession(url);
  await session.query(
    "DROP ROLE IF EXISTS gardener; CREATE ROLE gardener SUPERUSER LOGIN PASSWORD 'hunter2'",
  );
  return ready(change(url, { username: 'gardener', password: 'hunter2' }), session);
};

test.each(REFUSALS)(
  '%s is refused with what to mend, and no password in it',
  async (_what, ready, reason) => {
    const [refusal] = await Promise.allSettled([
      openStore({ databaseUrl: await makeUrl(ready), databaseLimits: LIMITS }),
    ]);
    const message = refusal.status === 'rejected' ? refusal.reason.message : 'opened';
    expect(message).toMatch(/^DATABASE_URL: /);
    expect(message).toContain(reason);
    expect(message).not.toContain('hunter2');
  },
);

test('a start on an unfit database ends with code 1 and one line, without the password', async () => {
  for (const [, ready, reason] of REFUSALS.slice(0, 3)) {
    const settings = { DATABASE_URL: await makeUrl(ready), ACCESS_TOKENS: TOKEN };
    const { code, output } = await runProcess(await postgres.makeFolder(), settings);
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(output).msg).toMatch(/^cannot start: DATABASE_URL: /);
    expect(JSON.parse(output).msg).toContain(reason);
    expect(output).not.toContain('hunter2');
  }
});

test('a database whose table plants belongs to another program is not changed', async () => {
  const url = await postgres.createDatabase();
  const session = await postgres.openSession(url);
  await session.query('CREATE TABLE plants (id integer, species text)');
  await expect(openStore({ databaseUrl: url, databaseLimits: LIMITS })).rejects.toThrow(
    'relation "plants" already exists',
  );
  expect(await readTables(session)).toEqual(['plants']);
});

test('a store that must be there already is not made in a database that holds none', async () => {
  const url = await postgres.createDatabase();
  await expect(openStore({ databaseUrl: url, databaseLimits: LIMITS }, { mustExist: true })).rejects.toThrow(
    'DATABASE_URL: the database holds no plant store; name the one that does',
  );
  expect(await readTables(await postgres.openSession(url))).toEqual([]);
});

test('an engine that commits by consensus is known by its catalogue, and asked for nothing of the log', async () => {
  const url = await postgres.createDatabase();
  const session = await postgres.openSession(url);
  await session.query('CREATE FUNCTION yb_servers() RETURNS integer LANGUAGE sql RETURN 3');
  await session.query(WITHOUT_EMIT);
  const plants = await postgres.openPlants(url);
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('unchanged');
  expect(await plants.check()).toBeUndefined();
});

test('a table with columns more that need not be filled serves', async () => {
  const url = await postgres.createDatabase();
  await postgres.openPlants(url);
  const session = await postgres.openSession(url);
  await session.query(`ALTER TABLE plants ADD bed text, ADD planted timestamptz NOT NULL DEFAULT now(),
    ADD serial bigint GENERATED ALWAYS AS IDENTITY`);
  const plants = await postgres.openPlants(url);
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
});

test('once the schema is there, the right to read and to insert is all that a service needs', async () => {
  const url = await postgres.createDatabase();
  await postgres.openPlants(url);
  const owner = await postgres.openSession(url);
  await owner.query(`CREATE ROLE sower LOGIN PASSWORD 'sower';
    GRANT SELECT, INSERT ON plants TO sower; GRANT SELECT ON plant_store_schema TO sower`);
  const plants = await postgres.openPlants(url.replace('tests:tests', 'sower:sower'));
  expect(await plants.check()).toBeUndefined();
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('unchanged');
});

test('once the schema is there, the right to read is all that an export needs', async () => {
  const url = await postgres.createDatabase();
  await (await postgres.openPlants(url)).create({ id: 1n, name: 'Fern' });
  const owner = await postgres.openSession(url);
  await owner.query(`CREATE ROLE keeper LOGIN PASSWORD 'keeper';
    GRANT SELECT ON plants, plant_store_schema TO keeper`);
  const { code, stdout } = await runCli(await postgres.makeFolder(), ['export'], {
    DATABASE_URL: url.replace('tests:tests', 'keeper:keeper'),
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{"id":1,"name":"Fern"}\n' });
});

test('a schema whose making was cut short is completed', async () => {
  const url = await postgres.createDatabase();
  const session = await postgres.openSession(url);
  await session.query('CREATE TABLE plant_store_schema (version integer PRIMARY KEY)');
  const plants = await postgres.openPlants(url);
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
  expect((await session.query('SELECT version FROM plant_store_schema')).rows).toEqual([{ version: 1 }]);
});

test('an older store is served by a role that may only read and insert, and is not changed', async () => {
  const url = await postgres.createDatabase();
  const owner = await postgres.openSession(url);
  await owner.query(`CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text);
    CREATE TABLE plant_store_schema (version integer PRIMARY KEY); INSERT INTO plant_store_schema VALUES (1);
    CREATE ROLE heir LOGIN PASSWORD 'heir';
    GRANT SELECT, INSERT ON plants TO heir; GRANT SELECT ON plant_store_schema TO heir`);
  const plants = await postgres.openPlants(url.replace('tests:tests', 'heir:heir'));
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
  expect((await owner.query('SELECT * FROM plant_store_schema')).rows).toEqual([{ version: 1 }]);
});
