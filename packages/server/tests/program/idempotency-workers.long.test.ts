import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolders } from '@trellis/test-support/temporary';

const newFolder = temporaryFolders();
const SERVER = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

test('several workers do not start with keys that each keeps for itself', async () => {
  const folder = await newFolder();
  const pay = {
    operationId: 'pay',
    parameters: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }],
    responses: { 204: { description: '' } },
  };
  const contract = join(folder, 'openapi.json');
  await writeFile(
    contract,
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Pay', version: '1' },
      paths: { '/payments': { post: pay } },
    }),
  );
  const program = join(folder, 'main.ts');
  await writeFile(
    program,
    `import { pathToFileURL } from 'node:url';
     import { serve, stub } from ${JSON.stringify(SERVER)};
     void serve({
       name: 'pay', version: '1', contract: pathToFileURL(${JSON.stringify(contract)}), databaseUrl: 'none',
       openStore: async () => ({ check: async () => undefined, close: async () => {} }),
       handlers: () => ({ pay: stub }),
     });`,
  );
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) =>
    execFile(
      process.execPath,
      ['--conditions=source', '--import', 'tsx', program],
      { cwd: ROOT, env: { ...process.env, WORKERS: '2', PORT: '0', NODE_OPTIONS: '' }, timeout: 60_000 },
      (error, stdout) => resolve({ code: error?.code ?? 0, stdout }),
    ),
  );
  expect(stdout).toContain('POST /payments declares Idempotency-Key');
  expect(code).toBe(1);
}, 90_000);
