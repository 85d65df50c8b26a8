import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderServeHelp } from '@trellis/server/command';
import { environmentOf } from '../../scripts/support/service.ts';
import { HELP } from '../../src/commands/help.ts';
import { PRODUCT } from '../../src/product.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { CLI, runCli } from './support/cli.ts';

const makeFolder = temporaryFolders();
const run = async (...args: string[]) => runCli(await makeFolder(), args);

const { general, ...own } = HELP;
const pages = { ...own, serve: `${own.serve}\n${renderServeHelp(PRODUCT)}` };

test.each([['--help'], ['-h'], ['help'], ['help', 'nothing']])(
  'plant-store %s tells every command',
  async (...args) => {
    expect(await run(...args)).toEqual({ code: 0, stdout: general, stderr: '' });
    expect(Object.keys(pages).filter((name) => !general.includes(`\n  ${name}`))).toEqual([]);
  },
);

test.each(Object.entries(pages))(
  'plant-store %s --help prints its usage, with examples',
  async (name, page) => {
    expect(await run(name, '--help')).toEqual({ code: 0, stdout: page, stderr: '' });
    expect(await run('help', name)).toEqual({ code: 0, stdout: page, stderr: '' });
    expect(page).toMatch(new RegExp(`^Usage: plant-store ${name}`));
    expect(page).toContain(`\nExamples:\n  plant-store ${name}`);
  },
);

test('plant-store --version tells which release it is', async () => {
  const file = fileURLToPath(new URL('../../package.json', import.meta.url));
  const { version } = JSON.parse(readFileSync(file, 'utf8'));
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('plant-store --version needs nothing but the build', async () => {
  const folder = await makeFolder();
  await cp(dirname(dirname(CLI)), join(folder, 'dist'), { recursive: true });
  const { status, stdout } = spawnSync(process.execPath, ['dist/bin/cli.js', '--version'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([0, (await run('--version')).stdout]);
});

test.each([
  [['water'], 'plant-store: there is no command water; see `plant-store --help`'],
  [['constructor'], 'plant-store: there is no command constructor; see `plant-store --help`'],
  [['--port'], 'plant-store: there is no option --port; see `plant-store --help`'],
  [['serve', '--pork=1'], "plant-store serve: unknown option '--pork'; see `plant-store serve --help`"],
  [['serve', '--port', ''], 'plant-store serve: --port needs a value; see `plant-store serve --help`'],
  [['export', 'file'], 'plant-store export: "file" is one word too many; see `plant-store export --help`'],
  [
    ['import'],
    'plant-store import: name the file to import, or - for standard input; see `plant-store import --help`',
  ],
  [['import', 'a', 'b'], 'plant-store import: "b" is one word too many; see `plant-store import --help`'],
  [
    ['import', '--on-error', 'cry', 'a'],
    'plant-store import: --on-error is stop or skip; see `plant-store import --help`',
  ],
  [
    ['import', '--wait', 'long', 'a'],
    'plant-store import: --wait is a number of seconds; see `plant-store import --help`',
  ],
  [
    ['import', '--wait'],
    "plant-store import: option '--wait <value>' argument missing; see `plant-store import --help`",
  ],
  [['backup'], 'plant-store backup: name the file to write; see `plant-store backup --help`'],
  [['backup', 'a', 'b'], 'plant-store backup: "b" is one word too many; see `plant-store backup --help`'],
  [
    ['backup', '-'],
    'plant-store backup: a backup is written to a file, not to standard output; see `plant-store backup --help`',
  ],
])('plant-store %j is refused with one sentence that names the remedy', async (args, sentence) => {
  expect(await run(...args)).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
});

test('plant-store serve takes its settings from options first, then from variables, then from files', async () => {
  const folder = await makeFolder();
  const file = join(folder, 'settings.env');
  await writeFile(
    file,
    'DATABASE_URL=memory:\nHOST=no-such-host\nACCESS_TOKENS=a-token-from-the-file\nPORT=1\n',
  );
  const program = [CLI, 'serve', '--host', '127.0.0.1', '--env-file', file];
  const service = spawn(process.execPath, program, { cwd: folder, env: environmentOf({}) });
  const [line]: Buffer[] = await once(service.stdout, 'data');
  service.kill();
  await once(service, 'exit');
  expect(JSON.parse(String(line))).toMatchObject({
    address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d{2,}$/),
  });
  expect(await readdir(folder)).toEqual(['settings.env']); // no store and no first token
});

test('plant-store serve names an --env-file that does not exist', async () => {
  // Node 20 also looks for this option among the arguments of the program, and rejects it itself.
  const { code, stderr } = await run('serve', '--env-file', 'no-such-file');
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining('no-such-file')]);
});

/** Runs `plant-store` with its standard output going where a shell sends it. */
const runInto = (where: string, ...args: string[]) => {
  const command = `"$NODE" "$CLI" ${args.join(' ')} ${where}`;
  const env = { NODE: process.execPath, CLI };
  const { status, stderr } = spawnSync('bash', ['--norc', '-c', `set -o pipefail; ${command}`], {
    env,
    encoding: 'utf8',
  });
  return { code: status, stderr };
};

test.each([
  ['token', 'plant-store token'],
  ['--help', 'plant-store'],
  ['--version', 'plant-store'],
])('a full disk while writing %s is reported in one sentence', (argument, title) => {
  expect(runInto('> /dev/full', argument)).toEqual({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^${title}: .*no space left on device.*\\n$`)),
  });
});

test('a reader that has exited ends a command without an error', () => {
  expect(runInto('| true', '--version').stderr).toBe('');
  expect(runInto('> >(exit 0)', 'token').stderr).toBe('');
});

test('a command whose error output is closed still fails with its exit code', () => {
  expect(runInto('2> /dev/full', 'water')).toEqual({ code: 2, stderr: '' });
});
