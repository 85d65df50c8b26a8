import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { temporaryFolders } from '../temporary.ts';
import { startThings, THINGS_FILE, THINGS_TOKEN } from '../things-service.ts';
import { startTester, testThings } from './run-tester.ts';

jest.setTimeout(120_000);

const newFolder = temporaryFolders();

test('--time ends the run and lists the parts that were left out', async () => {
  const folder = await newFolder();
  const flags = ['--requests', '1000000', '--time', '1ms', '--report', 'junit=junit.xml'];
  const { code, stdout, stderr } = await testThings(folder, {}, flags);
  expect(stdout).toMatch(/\nLeft out, because the time is up:\n {2}\w+: createThing\n/);
  expect(stdout).toContain('\nNo failures found. Parts of the contract were not tested.\n');
  expect([code, stderr]).toEqual([0, '']);
  expect(await readFile(join(folder, 'junit.xml'), 'utf8')).toContain('<skipped message="the time is up"/>');
});

test('a failure before the time is up is reported', async () => {
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

test('an interrupt ends the run with its findings and exit code 130', async () => {
  const { url, close } = await startThings();
  const flags = [url, '--spec', THINGS_FILE, '--token', THINGS_TOKEN, '--requests', '1000000'];
  const { child, finish } = startTester(await newFolder(), flags);
  child.stdout.once('data', () => child.kill('SIGINT'));
  const { code, stdout } = await finish();
  await close();
  expect(stdout).toContain('Left out, because it was interrupted:');
  expect(code).toBe(130);
});

test('--phase chooses phases', async () => {
  const folder = await newFolder();
  const flags = ['--phase', 'valid', '--phase', 'bodies', '--report', 'json=report.json'];
  expect((await testThings(folder, {}, flags)).code).toBe(0);
  const { phases } = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
  expect(phases.map(({ name }: { name: string }) => name)).toEqual(['valid', 'bodies']);
});
