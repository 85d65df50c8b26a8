import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, makeLines, runCli, startCli } from '../service/support/cli.ts';
import { usePostgres } from '../service/support/postgres.ts';
import { until } from '../support/postgres/conditions.ts';

const postgres = usePostgres();
const { makeFolder } = postgres;

const importInto = async (cwd: string, text: string, DATABASE_URL = '') => {
  writeFileSync(join(cwd, 'plants.ndjson'), text);
  expect((await runCli(cwd, ['import', 'plants.ndjson'], { DATABASE_URL })).code).toBe(0);
};

const many = makeLines(30_000, (id) => `{"id":${id},"name":"plant ${id}","tag":"${'x'.repeat(50)}"}`);

test('an empty store exports nothing, with a message', async () => {
  const settings = { DATABASE_URL: 'memory:' };
  expect(await runCli(await makeFolder(), ['export'], settings)).toEqual({
    code: 0,
    stdout: '',
    stderr: 'plants exported: 0\n',
  });
});

test('a store that is not there is refused, and not made', async () => {
  const cwd = await makeFolder();
  const { code, stdout, stderr } = await runCli(cwd, ['export']);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'plant-store export: DATABASE_URL: data/plants.db cannot be used: there is no such file\n',
  });
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

test('a PostgreSQL database that holds no store is refused, and stays empty', async () => {
  const url = await postgres.createDatabase();
  const { code, stdout, stderr } = await runCli(await makeFolder(), ['export'], { DATABASE_URL: url });
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'plant-store export: DATABASE_URL: the database holds no plant store; name the one that does\n',
  });
  const { rows } = await (await postgres.openSession(url)).query(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
  );
  expect(rows).toEqual([]);
});

test('a reader that has had enough ends the export without a word', async () => {
  const cwd = await makeFolder();
  await importInto(cwd, many);
  const command = `${process.execPath} ${CLI} export 2> complaints.txt | head -n 1; cat complaints.txt`;
  const shown = execFileSync('sh', ['-c', command], { cwd, env: {}, encoding: 'utf8' });
  expect(shown).toBe(many.slice(0, many.indexOf('\n') + 1));
});

test('from SQLite to PostgreSQL and out again: the same export, byte for byte', async () => {
  const cwd = await makeFolder();
  const odd = '{"id":-9223372036854775808,"name":"é e\u0301 🌱 \\u0001","tag":""}\n';
  await importInto(cwd, `${odd}${many}`);
  const url = await postgres.createDatabase();
  const move = `"$NODE" "$CLI" export | DATABASE_URL="$TARGET" "$NODE" "$CLI" import -`;
  execFileSync('sh', ['-c', move], {
    cwd,
    env: { NODE: process.execPath, CLI, TARGET: url },
    stdio: ['ignore', 'inherit', 'ignore'],
  });
  const { stdout, code } = await runCli(cwd, ['export'], { DATABASE_URL: url });
  expect(code).toBe(0);
  expect(stdout === odd + many).toBe(true);
}, 60_000);

test('an export does not delay concurrent creates', async () => {
  const cwd = await makeFolder();
  await importInto(cwd, many);
  const { child, finish } = startCli(cwd, ['export']);
  await new Promise((resolve) => child.stdout.once('readable', resolve)); // then reading stops: the export waits midway
  await importInto(cwd, '{"id":-1,"name":"too late"}\n');
  const { code, stdout } = await finish();
  expect(code).toBe(0);
  expect(stdout === many).toBe(true);
}, 60_000);

describe('while PostgreSQL goes away', () => {
  test('an export that cannot be whole exits 1 and says why', async () => {
    const cwd = await makeFolder();
    const url = await postgres.createDatabase();
    await importInto(cwd, many, url);
    const { child, finish } = startCli(cwd, ['export'], { DATABASE_URL: url });
    await new Promise((resolve) => child.stdout.once('readable', resolve));
    await postgres.server.stopAtOnce();
    try {
      const { code, stdout, stderr } = await finish();
      expect(code).toBe(1);
      expect(stderr).toBe('plant-store export: the store is unreachable\n');
      expect(many.startsWith(stdout)).toBe(true);
      expect(stdout.length).toBeLessThan(many.length);
    } finally {
      await postgres.server.startAgain();
    }
  }, 60_000);

  test('an import waits for it, and continues', async () => {
    const cwd = await makeFolder();
    const url = await postgres.createDatabase();
    const importing = startCli(cwd, ['import', '-'], { DATABASE_URL: url });
    importing.child.stdin.write(many.slice(0, many.length / 2));
    const session = await postgres.openSession(url);
    await until('some plants are stored', async () => {
      const { rows } = await session.query('SELECT 1 FROM plants LIMIT 1').catch(() => ({ rows: [] }));
      return rows[0];
    });
    await postgres.server.stopAtOnce();
    const done = importing.finish(many.slice(many.length / 2));
    try {
      await until(
        'it tells that it waits',
        async () => importing.output.stderr.includes('trying again') || undefined,
      );
    } finally {
      await postgres.server.startAgain();
    }
    const { code, stderr } = await done;
    expect(stderr).toMatch(/^the store is (unreachable|busy); trying again for 30 s\n/);
    expect(code).toBe(0);
    const { stdout } = await runCli(cwd, ['export'], { DATABASE_URL: url });
    expect(stdout === many).toBe(true);
  }, 60_000);

  test('an import that has waited long enough exits 1 and reports how many lines are done', async () => {
    const cwd = await makeFolder();
    const url = await postgres.createDatabase();
    await postgres.server.stopAtOnce();
    try {
      const settings = { DATABASE_URL: url };
      expect(await runCli(cwd, ['import', '--wait', '1', '-'], settings, makeLines(10))).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'the store is unreachable; trying again for 1 s\n' +
          'plant-store import: the store is unreachable; 0 lines are done: run the same command again to continue\n',
      });
    } finally {
      await postgres.server.startAgain();
    }
  }, 60_000);
});
