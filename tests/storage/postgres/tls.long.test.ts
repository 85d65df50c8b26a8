import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usePostgres } from '../../service/support/postgres.ts';
import { findExecutable, until } from '../../support/postgres/conditions.ts';

const describeIfThere = findExecutable('openssl') === undefined ? describe.skip : describe;

const makeCertificate = (name: string) =>
  `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=plants
   -addext subjectAltName=IP:127.0.0.1 -keyout ${name}.key -out ${name}.crt 2> ${name}.log`.replaceAll(
    '\n',
    ' ',
  );

describeIfThere('a PostgreSQL that speaks TLS', () => {
  const postgres = usePostgres();
  const files = { right: '', wrong: '' };

  beforeAll(async () => {
    const session = await postgres.openSession(await postgres.createDatabase());
    // The server makes its own, since it takes no key of which it is not the owner.
    for (const name of ['server', 'other'])
      await session.query(`COPY (SELECT 1) TO PROGRAM '${makeCertificate(name)}'`);
    const { rows } = await session.query(
      "SELECT pg_read_file('server.crt') AS right, pg_read_file('other.crt') AS wrong",
    );
    const folder = await postgres.makeFolder();
    files.right = join(folder, 'right.pem');
    files.wrong = join(folder, 'wrong.pem');
    await writeFile(files.right, rows[0].right);
    await writeFile(files.wrong, rows[0].wrong);
    await session.query('ALTER SYSTEM SET ssl = on');
    await session.query('SELECT pg_reload_conf()');
    await until('TLS is on', async () => {
      const { rows: settings } = await session.query('SHOW ssl');
      return settings[0].ssl === 'on' || undefined;
    });
  });

  test.each([
    ['sslmode=verify-full with its certificate', () => `sslmode=verify-full&sslrootcert=${files.right}`],
    ['sslmode=require as libpq has it', () => 'uselibpqcompat=true&sslmode=require'],
    ['sslmode=no-verify', () => 'sslmode=no-verify'],
  ])('serves over TLS with %s', async (_mode, query) => {
    const url = await postgres.createDatabase();
    const plants = await postgres.openPlants(`${url}?${query()}`);
    expect(await plants.create({ id: 1n, name: 'Fern' })).toBe('created');
    const session = await postgres.openSession(url);
    const { rows } = await session.query(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    expect(rows).toEqual([{ ssl: true }]);
  });

  test.each([
    [
      'the certificate of another',
      '127.0.0.1',
      () => `&sslrootcert=${files.wrong}`,
      'self-signed certificate',
    ],
    ['no certificate', '127.0.0.1', () => '', 'self-signed certificate'],
    ['another name of the host', 'localhost', () => `&sslrootcert=${files.right}`, 'does not match'],
  ])('is refused with sslmode=verify-full and %s', async (_what, host, query, reason) => {
    const url = (await postgres.createDatabase()).replace('127.0.0.1', host);
    const opened = postgres.openPlants(`${url}?sslmode=verify-full${query()}`);
    await expect(opened).rejects.toThrow(/^DATABASE_URL: PostgreSQL cannot be used: /);
    await expect(opened).rejects.toThrow(reason);
  });
});
