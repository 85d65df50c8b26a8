import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { temporaryFolders } from '@trellis/test-support/temporary';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const makeFolder = temporaryFolders();

/** One process for all command lines: to start one for each takes a second. */
let runner: ChildProcess;
beforeAll(() => {
  runner = fork(here('command-runner.ts'), [here('../src/cli.ts')], {
    execArgv: ['--conditions=source', '--import', 'tsx'],
  });
});
afterAll(() => void runner.kill());

/** Runs the command in an empty folder, which it must leave so. */
const run = async (...args: readonly string[]): Promise<{ code: number; output: string }> => {
  const cwd = await makeFolder();
  const answered = once(runner, 'message');
  runner.send({ cwd, args });
  const [answer] = await answered;
  expect(readdirSync(cwd)).toEqual([]);
  return answer;
};

const COMMANDS = ['new', 'generate', 'dev', 'build', 'check', 'upgrade'];

describe.each(COMMANDS)('trellis %s', (name) => {
  test.each(['--help', '-h'])('with %s tells its usage', async (option) => {
    const usage = { code: 0, output: expect.stringMatching(new RegExp(`^Usage: trellis ${name}\\b`)) };
    expect(await run(name, option)).toEqual(usage);
    expect(await run('help', name)).toEqual(usage);
  });

  test('refuses an option that it does not have in one line', async () => {
    expect(await run(name, '--unknown')).toEqual({
      code: 2,
      output: `trellis ${name}: unknown option '--unknown'; see \`trellis ${name} --help\``,
    });
  });

  test('refuses a word too many in one line', async () => {
    const words = name === 'new' ? ['project', 'other'] : ['other'];
    expect(await run(name, ...words)).toEqual({
      code: 2,
      output: `trellis ${name}: "other" is one word too many; see \`trellis ${name} --help\``,
    });
  });
});

test.each([
  [['new'], 'trellis new: name the folder to make'],
  [['new', 'project'], 'trellis new: name the contract with --spec FILE'],
  [['new', 'project', '--spec'], "trellis new: option '--spec <value>' argument missing"],
  [
    ['new', 'project', '--spec', 'a.yaml', '--store', 'mysql'],
    'trellis new: --store must be sqlite, postgres, none',
  ],
  [['upgrade', '--to'], "trellis upgrade: option '--to <value>' argument missing"],
])('%j is refused with the missing part', async (args, reason) => {
  expect(await run(...args)).toEqual({
    code: 2,
    output: `${reason}; see \`trellis ${args[0]} --help\``,
  });
});

test.each([
  ['grow', 'there is no command grow'],
  ['--grow', 'there is no option --grow'],
  ['constructor', 'there is no command constructor'],
])('trellis %s is refused', async (word, reason) => {
  expect(await run(word)).toEqual({
    code: 2,
    output: `trellis: ${reason}; see \`trellis --help\``,
  });
});

test.each([[[]], [['--help']], [['help']]])('trellis %j lists every command', async (args) => {
  const { code, output } = await run(...args);
  expect(code).toBe(0);
  for (const name of COMMANDS) expect(output).toMatch(new RegExp(`^  ${name} `, 'm'));
});

test('trellis --version tells the version of the package', async () => {
  expect(await run('--version')).toEqual({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});

test.each<[args: string[], reason: RegExp]>([
  ...['generate', 'dev', 'build', 'check'].map((name): [string[], RegExp] => [
    [name],
    new RegExp(
      `^trellis ${name}: there is no openapi\\.yaml in this folder; change to a project, or create one with`,
    ),
  ]),
  [
    ['upgrade'],
    /^trellis upgrade: package\.json depends on no package of Trellis; run this in the folder of a project$/,
  ],
  [
    ['new', 'project', '--spec', 'nothing.yaml'],
    /^trellis new: the contract cannot be read: ENOENT.*nothing\.yaml/,
  ],
])('%j outside of a project fails in one line, without a stack', async (args, reason) => {
  const { code, output } = await run(...args);
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(reason) });
  expect(output.split('\n')).toHaveLength(1);
});
