import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { type Behaviour, startThings, THINGS_FILE, THINGS_TOKEN } from '../things-service.ts';

// Every test starts processes, which take long on a busy machine.
jest.setTimeout(180_000);

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

const runCommand = async (...flags: string[]) => {
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/tsx/dist/cli.mjs'),
      '--conditions=source',
      'scripts/contract-tests.ts',
      ...flags,
    ],
    { cwd: ROOT },
  );
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(`${chunk}`));
  await once(child, 'close');
  return { code: child.exitCode, output: output.join('') };
};

const runAgainst = async (wrong: Partial<Behaviour>, ...flags: string[]) => {
  const { url, bodies, close } = await startThings(wrong);
  const result = await runCommand('--url', url, '--spec', THINGS_FILE, '--requests', '10', ...flags);
  await close();
  return { ...result, url, bodies };
};

test('the command exits 0 for a service that keeps its contract, and prints a table and the seed', async () => {
  const { code, output } = await runAgainst({}, '--token', THINGS_TOKEN, '--seed', '7');
  expect(output).toMatch(/seed 7\n/);
  expect(output).toMatch(/\| createThing \(POST \/things\) \| +\d+ \| +[1-9]\d* \| +\d+ \| +0 \|/);
  expect(output).toContain('The service keeps its contract.');
  expect(code).toBe(0);
});

test('it exits 1 for a service that breaks its contract, and the seed repeats the requests', async () => {
  const flags = ['--token', THINGS_TOKEN, '--seed', '7'];
  const [one, other] = [
    await runAgainst({ status: 202 }, ...flags),
    await runAgainst({ status: 202 }, ...flags),
  ];
  expect(one.code).toBe(1);
  expect(one.output).toContain(
    'The service breaks its contract. To repeat these requests: --seed 7 --requests 10',
  );
  expect(one.output).toContain('status 202, which is not declared');
  expect(one.bodies.length).toBeGreaterThan(20);
  // Several are under way at a time, so they may arrive in another order.
  expect(other.bodies.sort()).toEqual(one.bodies.sort());
});

test.each([
  ['without credentials', [], 'createThing needs credentials: --token TOKEN\n'],
  [
    'with an unknown operation',
    ['--token', THINGS_TOKEN, '--operation', 'x'],
    'there is no operation x; there are createThing\n',
  ],
  ['with an invalid seed', ['--seed', 'x'], '--seed must be a whole number above 0, not "x"\n'],
])('%s it says what is missing, and exits 2', async (_what, flags, message) => {
  const { code, output } = await runAgainst({}, ...flags);
  expect(output).toContain(message);
  expect(output).not.toMatch(/\n\s+at /);
  expect(code).toBe(2);
});

test('flags for a running service are refused without --url', async () => {
  const { code, output } = await runCommand('--token', 'x');
  expect(output).toBe('--token is for a running service: give --url too\n');
  expect(code).toBe(2);
});

test('without --url the service of this project is tested on a store of its own', async () => {
  const { code, output } = await runCommand('--requests', '2', '--seed', '7');
  expect(output).toMatch(/^openapi\.yaml against http:\/\/127\.0\.0\.1:\d+, seed 7\n/);
  expect(output).toContain('The service keeps its contract.');
  expect(code).toBe(0);
});

test('a service that does not answer is reported in one sentence with the remedy', async () => {
  const { url, close } = await startThings();
  await close();
  const { code, output } = await runCommand('--url', url, '--token', 'x');
  expect(output).toBe(`no service answers at ${url} (ECONNREFUSED): start it, or give another --url\n`);
  expect(code).toBe(4);
});

test('a service that goes away during the run is reported too', async () => {
  const { code, output } = await runAgainst({ leavesAfter: 5 }, '--token', THINGS_TOKEN);
  expect(output).toMatch(/\nthe service went away \(ECONNREFUSED\)\n$/);
  expect(code).toBe(4);
});

test('an invalid address and a missing file are reported', async () => {
  expect(await runCommand('--url', 'things')).toEqual({
    code: 2,
    output: '--url must be like http://127.0.0.1:3000, not "things"\n',
  });
  const { code, output } = await runCommand('--url', 'http://127.0.0.1:1', '--spec', 'no.yaml');
  expect([code, output]).toEqual([
    3,
    expect.stringMatching(/no\.yaml, which the command names, cannot be read \(ENOENT\)/),
  ]);
});

test('--help shows an example and exits 0', async () => {
  const { code, output } = await runCommand('--help');
  expect(output).toContain('npm run test:contract -- http://127.0.0.1:3000 --token');
  expect(code).toBe(0);
});
