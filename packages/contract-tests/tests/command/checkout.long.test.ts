import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { startThings, THINGS_FILE, THINGS_TOKEN } from '../things-service.ts';

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

// The built command is tested in `exit-codes.long.test.ts`.
test('the command of this folder tests a service that runs', async () => {
  const { url, close } = await startThings({ status: 202 });
  const flags = ['--spec', THINGS_FILE, '--requests', '10', '--token', THINGS_TOKEN, '--seed', '7'];
  const { code, output } = await runCommand(url, ...flags);
  await close();
  expect(output).toContain('status 202, which is not declared');
  expect(output).toContain(
    'The service breaks its contract. To repeat these requests: --seed 7 --requests 10',
  );
  expect(code).toBe(1);
});

test('without a URL the service of this project is tested on an empty store', async () => {
  const { code, output } = await runCommand('--requests', '2', '--seed', '7');
  expect(output).toMatch(/^openapi\.yaml against http:\/\/127\.0\.0\.1:\d+, seed 7\n/);
  expect(output).toContain('The service keeps its contract.');
  expect(code).toBe(0);
});

test('--help shows an example and exits 0', async () => {
  const { code, output } = await runCommand('--help');
  expect(output).toContain('npm run test:contract -- http://127.0.0.1:3000 --token');
  expect(code).toBe(0);
});
