import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlants as readStored } from '../../scripts/drill/subjects/plants.ts';
import { querySqlite } from '../../scripts/support/query.ts';
import { CLI, makeLines, runCli, startCli } from '../service/support/cli.ts';
import { readPlants, usePostgres } from '../service/support/postgres.ts';
import { until } from '../support/postgres/conditions.ts';
import { temporaryFolders } from '../support/temporary.ts';

/** The plants in the store of a folder. */
const readIn = (cwd: string) => readStored((sql) => querySqlite(join(cwd, 'data/plants.db'), sql));

const postgres = usePostgres();
const makeFolder = temporaryFolders();

const exportOf = async (cwd: string) => (await runCli(cwd, ['export'])).stdout;

/** Imports a text as a file, into the default store of an own folder, or of the one that is given. */
const importText = async (text: string | Buffer, { cwd = '', args = [] as string[], settings = {} } = {}) => {
  const folder = cwd || (await makeFolder());
  writeFileSync(join(folder, 'plants.ndjson'), text);
  const result = await runCli(folder, ['import', ...args, 'plants.ndjson'], settings);
  return { ...result, cwd: folder };
};

const SKIP = { args: ['--on-error', 'skip'] };

test('every plant of a file is created, ids and texts exact', async () => {
  const text = [
    '{"id":-9223372036854775808,"name":"the first","tag":""}',
    '{"id":-1,"name":"\u2028 \\"quoted\\" \\\\ 🌱"}',
    '{"id":9007199254740992,"name":"even"}',
    '{"id":9007199254740993,"name":"odd","tag":"exact"}',
    '{"id":9223372036854775807,"name":"the last"}',
    '',
  ].join('\n');
  const { code, stdout, stderr, cwd } = await importText(text, { settings: { NODE_ENV: 'production' } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(
    /^5 lines in [\d.]+ s \([\d,]+\/s\): 5 created, 0 there already, 0 conflicts, 0 bad\n$/,
  );
  expect(await exportOf(cwd)).toBe(text);
});

test('standard input is read where the file is -', async () => {
  const cwd = await makeFolder();
  const { code } = await runCli(cwd, ['import', '-'], {}, makeLines(10));
  expect(code).toBe(0);
  expect(await exportOf(cwd)).toBe(makeLines(10));
});

test('the same file again changes nothing, and all is well', async () => {
  const { cwd } = await importText(makeLines(100));
  const { code, stderr } = await importText(makeLines(100), { cwd });
  expect(code).toBe(0);
  expect(stderr).toContain('0 created, 100 there already, 0 conflicts, 0 bad');
});

describe('lines that are no plants', () => {
  const text = [
    '{"id":1,"name":"Fern"}',
    '{"id":2}',
    '{"id":3,"name":"Fern"',
    '{"id":9223372036854775808,"name":"Fern"}',
    '{"id":5,"name":"\\u0000"}',
    '{"id":6,"name":"Fern"}',
  ].join('\n');
  const refusals = [
    'line 2: body.name is required',
    "line 3: body is not valid JSON: Expected ',' or '}' after property value in JSON at position 21",
    'line 4: body.id must be an int64',
    'line 5: body.name must not hold U+0000',
  ];

  test('stop the import at the first, unless told otherwise, and name the remedy', async () => {
    const { code, stderr, cwd } = await importText(text);
    expect(code).toBe(1);
    const [refusal, summary, remedy] = stderr.trim().split('\n');
    expect(refusal).toBe(refusals[0]);
    expect(summary).toContain('1 created, 0 there already, 0 conflicts, 1 bad');
    expect(remedy).toBe(
      'stopped after line 2; correct the file and run the same command again, or pass --on-error skip',
    );
    expect(await exportOf(cwd)).toBe('{"id":1,"name":"Fern"}\n');
  });

  test('are skipped by choice, each reported with its number and the message of a reply', async () => {
    const { code, stderr, cwd } = await importText(text, SKIP);
    expect(code).toBe(1);
    const lines = stderr.trim().split('\n');
    expect(lines.slice(0, -1)).toEqual(
      refusals.map((line) => expect.stringContaining(line.replace(/ in JSON.*/, ''))),
    );
    expect(lines.at(-1)).toContain('2 created, 0 there already, 0 conflicts, 4 bad');
    expect(await exportOf(cwd)).toBe('{"id":1,"name":"Fern"}\n{"id":6,"name":"Fern"}\n');
  });

  test('are refused where they are not UTF-8, and where they are too long to be read whole', async () => {
    const text = Buffer.concat([
      Buffer.from('{"id":1,"name":"\xff"}\n', 'latin1'),
      Buffer.from(`{"id":2,"name":"${'x'.repeat(3_000_000)}"}\n{"id":3,"name":"Fern"}\n`),
    ]);
    const { stderr, cwd } = await importText(text, SKIP);
    expect(stderr).toContain('line 1: body is not valid UTF-8\n');
    expect(stderr).toContain('line 2: longer than 102400 bytes; set MAX_BODY_BYTES to take it\n');
    expect(await exportOf(cwd)).toBe('{"id":3,"name":"Fern"}\n');
  });
});

test('whatever could be sent can be imported from its export, and MAX_BODY_BYTES moves the limit', async () => {
  const longest = (id: string) => `{"id":${id},"name":"${'x'.repeat(102_400 - 20 - 1)}"}\n`;
  expect(longest('1e18').length - 1).toBe(102_400); // as a request has it; an export writes 1 and 18 zeros
  const exported = longest('1000000000000000000');
  const { code, cwd } = await importText(exported);
  expect(code).toBe(0);
  expect(await exportOf(cwd)).toBe(exported);

  const longer = exported.replace('"name":"', `"name":"${'y'.repeat(100_000)}`);
  expect((await importText(longer)).code).toBe(1);
  expect((await importText(longer, { settings: { MAX_BODY_BYTES: '300000' } })).code).toBe(0);
});

test('lines are found wherever the pieces of a file end', async () => {
  const text = makeLines(60, (id) => `{"id":${id},"name":"${`🌱${id}`.repeat(15_000)}"}`);
  const { code, cwd } = await importText(text);
  expect(code).toBe(0);
  expect(await exportOf(cwd)).toBe(text);
}, 60_000);

test('a byte order mark, other line ends, blank lines and a missing last one are nothing to worry about', async () => {
  const { code, stderr, cwd } = await importText(
    '\ufeff{"id":1,"name":"Fern"}\r\n\r\n  \n{"id":2,"name":"Moss"}\r\n\n{"id":3,"name":"Ivy"}',
  );
  expect(code).toBe(0);
  expect(stderr).toContain('6 lines in');
  expect(await exportOf(cwd)).toBe('{"id":1,"name":"Fern"}\n{"id":2,"name":"Moss"}\n{"id":3,"name":"Ivy"}\n');
});

test('a line of control characters is not blank: it is the remains of another line', async () => {
  const { code, stderr, cwd } = await importText('\0\0\0\n{"id":1,"name":"Fern"}\n\u000b\n \t\r\n', SKIP);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^line 1: body is not valid JSON.*\nline 3: body is not valid JSON.*\n4 lines in .*, 2 bad\n$/,
  );
  expect(await exportOf(cwd)).toBe('{"id":1,"name":"Fern"}\n');
});

test('an empty file is no failure', async () => {
  const { code, stderr } = await importText('');
  expect(code).toBe(0);
  expect(stderr).toContain('0 created');
});

test('a plant whose id is taken is reported with its line, and the stored plant stays', async () => {
  const { cwd } = await importText('{"id":41,"name":"Fern"}\n');
  const other = '{"id":40,"name":"Moss"}\n{"id":41,"name":"Moss"}\n{"id":42,"name":"Moss"}\n';
  const stopped = await importText(other, { cwd });
  expect(stopped.code).toBe(1);
  expect(stopped.stderr).toContain('line 2: another plant has id 41\n');
  expect(stopped.stderr).toContain('1 conflicts');
  expect(stopped.stderr).toContain('or pass --on-error skip');

  const skipped = await importText(other, { cwd, ...SKIP });
  expect(skipped.code).toBe(1);
  expect(await exportOf(cwd)).toBe(
    '{"id":40,"name":"Moss"}\n{"id":41,"name":"Fern"}\n{"id":42,"name":"Moss"}\n',
  );
});

test('of two plants under one id the first line gets it, although PostgreSQL takes a later batch first', async () => {
  const DATABASE_URL = await postgres.createDatabase();
  const cwd = await makeFolder();
  await runCli(cwd, ['import', '-'], { DATABASE_URL }); // makes the table
  const other = await postgres.openSession(DATABASE_URL);
  await other.query("BEGIN; INSERT INTO plants VALUES (0, 'held')"); // keeps the first batch waiting
  const fillers = makeLines(2000, (id) => `{"id":${100 + id},"name":"filler"}`).split(/(?<=\n)/);
  const text = [
    '{"id":1,"name":"first"}\n{"id":0,"name":"waits"}\n',
    ...fillers.slice(0, 1022),
    '{"id":1,"name":"line 1025"}\n',
    ...fillers.slice(1022),
  ].join('');
  const importing = startCli(cwd, ['import', '--on-error', 'skip', '-'], { DATABASE_URL });
  const finished = importing.finish(text);
  const observer = await postgres.openSession(DATABASE_URL);
  await until('a later batch is stored', async () => (await readPlants(observer)).length > 900 || undefined);
  await other.query('ROLLBACK');
  expect((await finished).stderr).toContain('line 1025: another plant has id 1\n');
  expect((await readPlants(observer)).find(({ id }) => id === '1')?.name).toBe('first');
});

test('what cannot be read is refused in one sentence', async () => {
  const cwd = await makeFolder();
  mkdirSync(join(cwd, 'folder'));
  const remedy = 'name a file, or - for standard input';
  for (const [file, reason] of [
    ['missing', 'there is no such file'],
    ['folder', 'it is a folder'],
  ] as const)
    expect(await runCli(cwd, ['import', file])).toEqual({
      code: 1,
      stdout: '',
      stderr: `plant-store import: cannot read ${file}: ${reason}; ${remedy}\n`,
    });
});

test('a bad setting is named, a password in it is not', async () => {
  const settings = { DATABASE_URL: 'mysql://root:hunter2@db/plants' };
  const { code, stderr } = await importText(makeLines(1), { settings });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^plant-store import: DATABASE_URL names no database that is known here; .+\n$/);
  expect(stderr).not.toContain('hunter2');
});

describe('an import that is broken off', () => {
  const COUNT = 40_000;
  const text = makeLines(COUNT, (id) => `{"id":${id * 7919},"name":"plant ${id}","tag":"${id % 9}"}`);

  /** Feeds the first half, and waits until some of it is in the store. */
  const startHalf = async (cwd: string) => {
    const importing = startCli(cwd, ['import', '-']);
    importing.child.stdin.write(text.slice(0, text.length / 2));
    const stored = await until('some plants are stored', async () => {
      const rows = await readIn(cwd).catch(() => []);
      return rows.length > 0 ? rows.length : undefined;
    });
    expect(stored).toBeLessThan(COUNT);
    return importing;
  };

  test('by kill -9 is run again, and every plant is there once', async () => {
    const cwd = await makeFolder();
    const { child, finish } = await startHalf(cwd);
    child.kill('SIGKILL');
    expect((await finish()).code).toBe(null);
    const kept = (await readIn(cwd)).length;

    const { code, stderr } = await importText(text, { cwd });
    expect(code).toBe(0);
    const [, created, unchanged] =
      /: ([\d,]+) created, ([\d,]+) there already, 0 conflicts, 0 bad/.exec(stderr) ?? [];
    expect([created, unchanged].map((count) => Number(count?.replaceAll(',', '')))).toEqual([
      COUNT - kept,
      kept,
    ]);
    expect(await exportOf(cwd)).toBe(text);
  }, 60_000);

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s stores the pending lines, explains how to continue, and exits 1',
    async (signal) => {
      const cwd = await makeFolder();
      const { child, output, finish } = await startHalf(cwd);
      child.kill(signal);
      await until('it has stopped', async () => (output.stderr.includes('stopped') ? true : undefined));
      const { code, stderr } = await finish(text.slice(text.length / 2));
      expect(code).toBe(1);
      const [, lines, created] = /^([\d,]+) lines in .* ([\d,]+) created/.exec(stderr) ?? [];
      expect(lines).toBe(created);
      expect(stderr).toContain(`stopped after line ${lines}; run the same command again to continue`);
      expect((await readIn(cwd)).length).toBe(Number(lines?.replaceAll(',', '')));
    },
    60_000,
  );
});

test('an import that waits for standard input is ended by a signal, not by the next line', async () => {
  const cwd = await makeFolder();
  const { child, output, finish } = startCli(cwd, ['import', '-']);
  child.stdin.write(makeLines(10));
  await until('all lines are stored', async () => {
    const rows = await readIn(cwd).catch(() => []);
    return rows.length === 10 || undefined;
  });
  child.kill('SIGINT');
  await until('it has stopped', async () => output.stderr.includes('stopped after line 10;') || undefined);
  expect((await finish()).code).toBe(1);
});

test.each(['2> /dev/full', '2> >(true)'])(
  'with %s, where messages cannot be written, the valid lines are still imported',
  async (stderr) => {
    const cwd = await makeFolder();
    writeFileSync(join(cwd, 'plants.ndjson'), `${'{"id":2}\n'.repeat(5000)}${makeLines(3)}`);
    const command = `"$NODE" "$CLI" import --on-error skip plants.ndjson ${stderr}`;
    const { status } = spawnSync('bash', ['--norc', '-c', command], {
      cwd,
      env: { NODE: process.execPath, CLI },
    });
    expect(status).toBe(1);
    expect(await exportOf(cwd)).toBe(makeLines(3));
  },
);

test('on a terminal a bar shows how far it is, the rate and the time left', async () => {
  const cwd = await makeFolder();
  writeFileSync(join(cwd, 'plants.ndjson'), makeLines(30_000));
  const screen = execFileSync(
    'script',
    ['-qefc', `stty cols 100; ${process.execPath} ${CLI} import plants.ndjson`, '/dev/null'],
    {
      cwd,
      env: { PATH: process.env.PATH ?? '' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const bars = screen.split('\r').map((text) => text.replace('\u001b[K', ''));
  expect(bars).toContainEqual(
    expect.stringMatching(/^\[#{1,29}\.+\] \d\d? % {3}[\d,]+ lines {3}[\d,]+\/s {3}\d+ s left$/),
  );
  expect(bars).toContainEqual(
    expect.stringMatching(/^\[#{30}\] 100 % {3}30,000 lines {3}[\d,]+\/s {3}0 s left$/),
  );
  expect(screen).toContain('30,000 created');
});

test('a line without an end takes no memory', async () => {
  const { child, finish } = startCli(await makeFolder(), ['import', '-']);
  const part = Buffer.alloc(2 ** 20, 'x');
  for (let written = 0; written < 300; written += 1)
    if (!child.stdin.write(part)) await once(child.stdin, 'drain');
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const { code, stderr } = await finish();
  expect(code).toBe(1);
  expect(stderr).toContain('line 1: longer than 102400 bytes');
  expect(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(250 * 1024);
}, 60_000);

test('plants that would not fit in memory are imported and exported', async () => {
  const cwd = await makeFolder();
  const settings = { NODE_OPTIONS: '--max-old-space-size=32' };
  const text = makeLines(2000, (id) => `{"id":${id},"name":"${'x'.repeat(30_000)}"}`);
  expect((await importText(text, { cwd, settings })).code).toBe(0);
  const { code, stdout } = await runCli(cwd, ['export'], settings);
  expect(code).toBe(0);
  expect(stdout === text).toBe(true);
}, 60_000);
