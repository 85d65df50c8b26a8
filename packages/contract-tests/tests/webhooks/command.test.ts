import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { contractTests } from '@trellis/contract-tests';
import { runTests } from '../run.ts';
import { temporaryFolders } from '../temporary.ts';
import { startThings, THINGS_FILE, THINGS_TOKEN } from '../things-service.ts';
import { BOOKINGS_FILE, type Change, freePort, SECRET, startBookings } from './bookings-service.ts';

jest.setTimeout(60_000);

const newFolder = temporaryFolders();

const WRONG: Change = (message) => (message.name === 'paid' ? { ...message, body: '{}' } : message);

/** Runs the command against the bookings, whose webhooks it receives. */
const testBookings = async (change: Change | undefined, more: readonly string[] = []) => {
  const port = await freePort();
  const service = await startBookings(`http://127.0.0.1:${port}`, change);
  const common = ['--spec', BOOKINGS_FILE, '--requests', '5', '--phase', 'valid', '--phase', 'webhooks'];
  try {
    return await runTests([
      service.url,
      ...common,
      '--webhooks',
      `${port}`,
      '--webhook-secret',
      SECRET,
      ...more,
    ]);
  } finally {
    await service.close();
  }
};

test('0: what arrives is right', async () => {
  const { code, text: said } = await testBookings(undefined);
  expect(said).toContain('note  newBooking: arrived 5 times');
  expect(said).toContain('The service keeps its contract.');
  expect(code).toBe(0);
});

test('1: what arrives is wrong; reports show it as it arrived', async () => {
  const folder = await newFolder();
  const report = join(folder, 'report.json');
  const options = ['--report', `json=${report}`, '--header', 'X-Tenant: acme'];
  const { code, text: said } = await testBookings(WRONG, options);
  expect(said).toContain("createBooking.paid: received request: the body must have required property 'id'");
  expect(code).toBe(1);
  const { phases } = JSON.parse(await readFile(report, 'utf8'));
  const [failure] = phases[1].subjects.flatMap(({ found }: { found: object[] }) => found);
  expect(failure.operation).toBe('createBooking.paid');
  const [, line = ''] = failure.text.split('\n');
  expect(line).toMatch(
    /^ {2}curl -i -X POST http:\/\/127\.0\.0\.1:\d+\/callbacks\/createBooking\.paid -H .* --data-raw '\{\}'$/,
  );
  const names = [...line.matchAll(/-H ['"]([\w-]+):/g)].map(([, name = '']) => name.toLowerCase());
  expect(names.sort()).toEqual(['content-type', 'webhook-id', 'webhook-signature', 'webhook-timestamp']);
});

test.each([
  [['--webhooks', 'here'], '--webhooks must be like 9000 or http://tester.example:9000, not "here"'],
  [['--webhooks', 'https://a.example:1'], '--webhooks must be like 9000'],
  [['--webhook-secret', 'hunter2'], '--webhook-secret must be like whsec_ and base64'],
])('2: %j is refused', async (options, sentence) => {
  const { code, text: said } = await runTests(['http://127.0.0.1:1', ...options]);
  expect(said).toContain(sentence);
  expect(said).not.toContain('hunter2');
  expect(code).toBe(2);
});

test('2: a port that is taken, and a contract that sends nothing', async () => {
  const { url, close } = await startThings({});
  const things = [url, '--spec', THINGS_FILE, '--token', THINGS_TOKEN];
  const taken = await runTests([...things, '--webhooks', new URL(url).port]);
  expect(taken.text).toContain('cannot be listened on (EADDRINUSE)');
  const without = await runTests([...things, '--webhooks', `${await freePort()}`]);
  expect(without.text).toContain('the contract has neither webhooks nor callbacks');
  expect([taken.code, without.code]).toEqual([2, 2]);
  await close();
});

test('a test runner receives them, too', async () => {
  const port = await freePort();
  const service = await startBookings(`http://127.0.0.1:${port}`, WRONG);
  const tests = new Map<string, () => Promise<void>>();
  await contractTests({
    url: service.url,
    spec: BOOKINGS_FILE,
    requests: 5,
    phases: ['valid', 'webhooks'],
    webhooks: { port, secret: SECRET },
    describe: (_name, register) => register(),
    test: (name, run) => tests.set(name, run),
  });
  const warned = jest.spyOn(console, 'warn').mockImplementation(() => {});
  const thrown: string[] = [];
  for (const [name, run] of tests) await run().catch(() => thrown.push(name));
  warned.mockRestore();
  await service.close();
  expect([...tests.keys()]).toEqual([
    ...['createBooking', 'newBooking', 'soldOut'],
    ...['createBooking.paid', 'createBooking.cancelled', 'createBooking.seen'],
  ]);
  expect(thrown).toEqual(['createBooking.paid']);
});
