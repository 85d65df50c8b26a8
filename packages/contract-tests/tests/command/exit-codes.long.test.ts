import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { temporaryFolders } from '../temporary.ts';
import { startThings, THINGS_FILE } from '../things-service.ts';
import { runTester, testThings } from './run-tester.ts';

jest.setTimeout(120_000);

const newFolder = temporaryFolders();

test('0: the service keeps its contract', async () => {
  const { code, stdout, stderr } = await testThings(await newFolder(), {}, []);
  expect(stdout).toMatch(/seed 7\n/);
  expect(stdout).toMatch(/\| createThing \(POST \/things\) \| +\d+ \| +[1-9]\d* \| +\d+ \| +0 \|/);
  expect(stdout).toMatch(/\n\nThe service keeps its contract\.\n$/);
  expect([code, stderr]).toEqual([0, '']);
});

test('0: without a URL the service itself is started, tested, and gone with its store', async () => {
  const [folder, temporary] = [await newFolder(), await newFolder()];
  const { code, stdout } = await runTester(folder, ['--requests', '2', '--seed', '7'], { TMPDIR: temporary });
  expect(stdout).toMatch(/^\S*openapi\.yaml against http:\/\/127\.0\.0\.1:\d+, seed 7\n/);
  expect(stdout).toMatch(/\n\nThe service keeps its contract\.\n$/);
  expect([code, await readdir(folder), await readdir(temporary)]).toEqual([0, [], []]);
});

test('1: the service breaks its contract, and the seed repeats the requests', async () => {
  const { code, stdout, bodies } = await testThings(await newFolder(), { status: 202 }, []);
  expect(stdout).toContain('createThing: valid request: status 202, which is not declared');
  expect(stdout).toMatch(
    /\nThe service breaks its contract\. To repeat these requests: --seed 7 --requests 10\n$/,
  );
  expect(code).toBe(1);
  const again = await testThings(await newFolder(), { status: 202 }, []);
  expect(bodies.length).toBeGreaterThan(20);
  // Several are under way at a time, so they may arrive in another order.
  expect(again.bodies.sort()).toEqual(bodies.sort());
});

test.each<[what: string, flags: string[], said: string]>([
  ['a token without a URL', ['--token', 'x'], '--token is for a running service: give its URL too'],
  ['an unknown option', ['--reprot', 'x'], "unknown option '--reprot'; see --help"],
  ['an option without its value', ['--seed'], '.*--seed.*argument missing; see --help'],
  ['a bad URL', ['things'], 'the URL must be like http://127.0.0.1:3000, not "things"'],
  [
    'a URL with a password',
    ['http://ada:secret@127.0.0.1:1'],
    'the URL must have no name and no password: give them with --basic',
  ],
  [
    'a URL with a query',
    ['http://a/?b=c'],
    'the URL must be like http://127.0.0.1:3000, not "http://a/\\?b=c"',
  ],
  ['two URLs', ['http://a', 'http://b'], '"http://b" is one word too many; see --help'],
  ['a bad number', ['http://a', '--rate', '0'], '--rate must be a whole number above 0, not "0"'],
  ['a bad seed', ['--seed', 'x'], '--seed must be a whole number above 0, not "x"'],
  ['a bad duration', ['http://a', '--time', 'soon'], '--time must be a duration like 90s or 5m, not "soon"'],
  [
    'a bad report',
    ['http://a', '--report', 'pdf=x'],
    '--report must be like junit=report.xml or json=report.json, not "pdf=x"',
  ],
  ['a bad header', ['http://a', '--header', 'x'], '--header must be like "X-Tenant: acme", not "x"'],
  [
    'a header that HTTP cannot carry',
    ['http://a', '--header', 'X-Tenant: 🌱'],
    '--header must be like "X-Tenant: acme", not "X-Tenant: 🌱"',
  ],
  [
    'a token with a line feed',
    ['http://a', '--token', 's3cret\n'],
    '--token has a character that no header can carry, such as a line feed',
  ],
  [
    'a key with a line feed',
    ['http://a', '--api-key', 'X-Key=s3cret\n'],
    '--api-key has a character that no header can carry, such as a line feed',
  ],
  ['a bad key', ['http://a', '--api-key', 'x'], '--api-key must be like X-Api-Key=VALUE'],
])('2: %s is refused in one sentence', async (_what, flags, said) => {
  const { code, stdout, stderr } = await runTester(await newFolder(), flags);
  expect(stderr).toMatch(new RegExp(`^${said}\\n$`));
  expect([code, stdout]).toEqual([2, '']);
});

test.each<[what: string, flags: string[], said: string]>([
  ['an unknown operation', ['--include', 'x'], 'there is no operation x; there are createThing\n'],
  ['an unknown phase', ['--phase', 'x'], 'there is no phase x; there are '],
  ['a choice of nothing', ['--exclude', 'POST'], '--include and --exclude leave no operation\n'],
])('2: %s is refused before anything is sent', async (_what, flags, said) => {
  const { code, stderr, bodies } = await testThings(await newFolder(), {}, flags);
  expect(stderr).toContain(said);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(code).toBe(2);
  expect(bodies).toEqual(['']); // whether it answers
});

test('2: findings are printed even if a report cannot be written', async () => {
  const { code, stdout, stderr } = await testThings(await newFolder(), {}, ['--report', 'json=/']);
  expect(stdout).toContain('The service keeps its contract.');
  expect([code, stderr]).toEqual([2, '/ cannot be written (EISDIR)\n']);
});

test('2: missing credentials are named', async () => {
  const { url, close } = await startThings();
  const { code, stderr } = await runTester(await newFolder(), [url, '--spec', THINGS_FILE]);
  await close();
  expect([code, stderr]).toEqual([2, 'createThing needs credentials: --token TOKEN\n']);
});

test.each<[what: string, text: string, said: RegExp]>([
  ['no YAML', 'a: [', /openapi\.yaml/],
  [
    'no OpenAPI document',
    'swagger: "2.0"',
    /openapi\.yaml is of OpenAPI 2\.0, which is not served; convert it to 3\.0, 3\.1 or 3\.2\n$/,
  ],
  [
    'a contract without operations',
    'openapi: 3.1.0\ninfo: { title: t, version: "1" }\npaths: {}',
    /^openapi\.yaml has no operations: there is nothing to test\n$/,
  ],
  [
    'a reference that does not resolve',
    'openapi: 3.1.0\npaths: { /a: { $ref: "other.yaml" } }',
    /other\.yaml, which .*openapi\.yaml names, cannot be read \(ENOENT\)\n$/,
  ],
])('3: %s', async (_what, text, said) => {
  const folder = await newFolder();
  await writeFile(join(folder, 'openapi.yaml'), text);
  const { code, stderr } = await runTester(folder, ['http://127.0.0.1:1', '--spec', 'openapi.yaml']);
  expect(stderr).toMatch(said);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(code).toBe(3);
});

test('3: a contract that is not there', async () => {
  const { code, stderr } = await runTester(await newFolder(), ['http://127.0.0.1:1', '--spec', 'no.yaml']);
  expect(stderr).toBe('there is no no.yaml: name the contract with --spec\n');
  expect(code).toBe(3);
});

test('4: no service answers', async () => {
  const { url, close } = await startThings();
  await close();
  const { code, stderr } = await runTester(await newFolder(), [url, '--spec', THINGS_FILE]);
  expect([code, stderr]).toEqual([
    4,
    `no service answers at ${url} (ECONNREFUSED): start it, or give another URL\n`,
  ]);
});

test('4: if the service stops, earlier findings are printed', async () => {
  const { code, stdout, stderr } = await testThings(await newFolder(), { status: 202, leavesAfter: 100 }, [
    '--requests',
    '300',
  ]);
  expect(stdout).toContain('status 202, which is not declared');
  expect(stdout).toMatch(
    /Left out, because the service went away \(ECONNREFUSED\):\n {2}parameters: createThing\n/,
  );
  expect(stderr).toBe('the service went away (ECONNREFUSED)\n');
  expect(code).toBe(4);
});

test('--help is readable in 100 columns', async () => {
  const { code, stdout } = await runTester(await newFolder(), ['--help']);
  expect(stdout).toContain('--report KIND=FILE');
  expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expect(code).toBe(0);
});
