import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { contractTests } from '@trellis/contract-tests';
import { temporaryFolders } from '../temporary.ts';
import { type Behaviour, startThings, THINGS_FILE, THINGS_TOKEN } from '../things-service.ts';

jest.setTimeout(120_000);

const newFolder = temporaryFolders();
const BUILT = fileURLToPath(new URL('../../../../dist/bin/contract-tests.js', import.meta.url));

interface Registered {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Registers the tests of a service in a list. */
const collect = async (url: () => string, more: object = {}): Promise<Registered[]> => {
  const tests: Registered[] = [];
  let group = '';
  await contractTests({
    url,
    spec: THINGS_FILE,
    token: THINGS_TOKEN,
    requests: 10,
    describe: (name, register) => {
      group = name;
      register();
    },
    test: (name, run) => tests.push({ name: `${group}: ${name}`, run }),
    ...more,
  });
  return tests;
};

/** The errors that the tests of a service throw, by test name. */
const runAll = async (wrong: Partial<Behaviour>, more: object = {}): Promise<Record<string, string>> => {
  let url = '';
  const tests = await collect(() => url, more); // registered before the service runs
  const service = await startThings(wrong);
  url = service.url;
  const thrown: Record<string, string> = {};
  for (const { name, run } of tests) await run().catch(({ message }: Error) => (thrown[name] = message));
  await service.close();
  expect(tests.map(({ name }) => name)).toContain('valid requests get a declared answer: createThing');
  return thrown;
};

test('a service that keeps its contract passes every test', async () => {
  expect(await runAll({})).toEqual({});
});

test('a test that fails tells the seed, the request and the place', async () => {
  const thrown = await runAll({ status: 202 });
  expect(thrown['valid requests get a declared answer: createThing']).toMatch(
    /^seed 41\n\ncreateThing: valid request: status 202, which is not declared\n {2}curl -i -X POST/,
  );
});

test('a further check may refuse a reply', async () => {
  const alsoExpect = ({ refusal }: { refusal: number | undefined }, { status }: { status: number }) =>
    refusal === undefined && status === 200 ? 'a reply that is too good' : undefined;
  expect(Object.values(await runAll({}, { alsoExpect, phases: ['valid'] }))).toEqual([
    expect.stringContaining('createThing: valid request: a reply that is too good'),
  ]);
});

test('credentials that are missing are named at once', async () => {
  await expect(collect(() => '', { token: undefined })).rejects.toThrow(
    'createThing needs credentials: --token TOKEN',
  );
});

test('node:test runs them from the built package, in the lines of the page', async () => {
  const { url, close } = await startThings();
  const folder = await newFolder();
  const file = join(folder, 'contract.test.mjs');
  const lines = `import { contractTests } from ${JSON.stringify(BUILT)};
const [url, spec, token] = ${JSON.stringify([url, THINGS_FILE, THINGS_TOKEN])};
await contractTests({ url, spec, token, requests: 10 });
`;
  await writeFile(file, lines);
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file], {
    env,
  });
  await close();
  expect(stdout).toMatch(/# fail 0\n/);
  expect(stdout).toContain('valid requests get a declared answer');
});
