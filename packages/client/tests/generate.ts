import { execFileSync } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, TRELLIS } from '@trellis/test-support/scratch';

/** The contract of these tests. */
export const CONTRACT = new URL('contract.yaml', import.meta.url);

/** Generates a contract in an empty folder, as its owner would; returns the types and the client. */
export const generateIn = async (folder: string, contract: string | URL = CONTRACT) => {
  await cp(contract, join(folder, 'openapi.yaml'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, [...TRELLIS, 'generate'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const read = (name: string) => readFile(join(folder, 'generated', name), 'utf8');
  return { types: await read('openapi.ts'), client: await read('client.ts') };
};
