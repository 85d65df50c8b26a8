import { openRepository } from '../../src/storage/open.ts';
import { LIMITS, type Session, usePostgres } from '../support/postgres.ts';
import { runProcess } from '../support/process.ts';
import { TOKEN } from '../support/service.ts';

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
  ['a URL that is none', () => 'postgres://gardener:hunter2@127.0.0.1:port/plants', 'Invalid URL'],
  [
    'a newer database',
    async (url, session) => {
      await session.query('CREATE TABLE plant_store_schema (version integer PRIMARY KEY)');
      await session.query('INSERT INTO plant_store_schema VALUES (99)');
      return url;
    },
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
];

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
    const [refusal] = await Promise.allSettled([openRepository(await makeUrl(ready), LIMITS)]);
    const message = refusal.status === 'rejected' ? refusal.reason.message : 'opened';
    expect(message).toMatch(/^DATABASE_URL: /);
    expect(message).toContain(reason);
    expect(message).not.toContain('hunter2');
  },
);

test('a start on what is not fit ends with code 1 and one line, and no password in it', async () => {
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

test('once the schema is there, the right to read and to insert is all that a service needs', async () => {
  const url = await postgres.createDatabase();
  await postgres.openPlants(url);
  const owner = await postgres.openSession(url);
  await owner.query(`CREATE ROLE sower LOGIN PASSWORD 'sower';
    GRANT SELECT, INSERT ON plants TO sower; GRANT SELECT ON plant_store_schema TO sower`);
  const plants = await postgres.openPlants(url.replace('plants:plants', 'sower:sower'));
  expect(await plants.check()).toBeUndefined();
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('unchanged');
});

test('a schema whose making was cut short is completed', async () => {
  const url = await postgres.createDatabase();
  const session = await postgres.openSession(url);
  await session.query('CREATE TABLE plant_store_schema (version integer PRIMARY KEY)');
  const plants = await postgres.openPlants(url);
  expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
  expect((await session.query('SELECT version FROM plant_store_schema')).rows).toEqual([{ version: 1 }]);
});
