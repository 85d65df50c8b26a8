import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { startThings, THINGS_FILE, THINGS_TOKEN } from '../things-service.ts';
import { runTester, startTester, testThings } from './run-tester.ts';

jest.setTimeout(120_000);

const newFolder = temporaryFolders();

test('--time ends the run, and tells what was left out', async () => {
  const folder = await newFolder();
  const flags = ['--requests', '1000000', '--time', '1ms', '--report', 'junit=junit.xml'];
  const { code, stdout, stderr } = await testThings(folder, {}, flags);
  expect(stdout).toMatch(/\nLeft out, because the time is up:\n {2}\w+: createThing\n/);
  expect(stdout).toContain('\nThe service keeps its contract, as far as it was tested.\n');
  expect([code, stderr]).toEqual([0, '']);
  expect(await readFile(join(folder, 'junit.xml'), 'utf8')).toContain('<skipped message="the time is up"/>');
});

test('a failure that was met before the time is up is told', async () => {
  const flags = ['--requests', '1000000', '--time', '3s', '--phase', 'valid'];
  const { code, stdout } = await testThings(await newFolder(), { isThing: () => false }, flags);
  expect(stdout).toContain('createThing: valid request: a valid request was refused with 400');
  expect(code).toBe(1);
});

test('--fail-fast ends the run after the first operation that fails', async () => {
  const { code, stdout } = await testThings(await newFolder(), { status: 202 }, ['--fail-fast']);
  expect(stdout).toMatch(/\nLeft out, because stopped at the first failure:\n {2}\w+: createThing\n/);
  expect(code).toBe(1);
});

test('an interrupt ends the run with what was found, and exit code 130', async () => {
  const { url, close } = await startThings();
  const flags = [url, '--spec', THINGS_FILE, '--token', THINGS_TOKEN, '--requests', '1000000'];
  const { child, finish } = startTester(await newFolder(), flags);
  child.stdout.once('data', () => child.kill('SIGINT'));
  const { code, stdout } = await finish();
  await close();
  expect(stdout).toContain('Left out, because it was interrupted:');
  expect(code).toBe(130);
});

test('--phase and --skip-phase choose phases', async () => {
  const one = await testThings(await newFolder(), {}, ['--phase', 'valid', '--phase', 'bodies']);
  expect(one.stdout).toMatch(/^\| operation .*\| failures \| valid \| bodies \|$/m);
  const other = await testThings(await newFolder(), {}, [
    '--phase',
    'valid',
    '--phase',
    'bodies',
    '--skip-phase',
    'valid',
  ]);
  expect(other.stdout).toMatch(/^\| operation .*\| failures \| bodies \|$/m);
});

describe('the config file', () => {
  const write = async (text: string, name = 'contract-tests.yaml'): Promise<string> => {
    const folder = await newFolder();
    await writeFile(join(folder, name), text);
    return folder;
  };

  test('gives options, takes secrets from the environment, and the command line wins', async () => {
    const { url, close } = await startThings();
    const folder = await write(
      `url: ${url}\nspec: ${THINGS_FILE}\ntoken: \${THE_TOKEN}\nrequests: 10\nseed: 3\nphase: [valid, bodies]\n`,
    );
    const { code, stdout } = await runTester(folder, ['--seed', '9'], { THE_TOKEN: THINGS_TOKEN });
    await close();
    expect(stdout).toContain(`${THINGS_FILE} against ${url}, seed 9\n`);
    expect(stdout).toMatch(/\| valid \| bodies \|\n/);
    expect(code).toBe(0);
  });

  test.each<[what: string, text: string, said: string]>([
    ['an unknown key', 'tokn: x', 'there is no option tokn; did you mean token?'],
    [
      'a variable that is not set',
      `token: $\{NOT_SET}`,
      'token needs the variable NOT_SET, which is not set',
    ],
    ['a list where one value belongs', 'seed: [1, 2]', 'seed must be a text'],
  ])('%s is refused', async (_what, text, said) => {
    const { code, stderr } = await runTester(await write(text), []);
    expect([code, stderr]).toEqual([2, `contract-tests.yaml: ${said}\n`]);
  });

  test('may be JSON, and may have another name', async () => {
    const folder = await write('{"url": "things"}', 'ci.json');
    const { code, stderr } = await runTester(folder, ['--config', 'ci.json']);
    expect([code, stderr]).toEqual([2, '--url must be like http://127.0.0.1:3000, not "things"\n']);
  });
});
