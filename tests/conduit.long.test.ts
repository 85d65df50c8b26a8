import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environmentElsewhere } from '../packages/create/src/npm.ts';
import { linkPackages } from '../scripts/pack/link.ts';
import { packPackages } from '../scripts/pack/pack.ts';
import { usePostgres } from './support/postgres/postgres.ts';
import { ROOT } from './support/scratch.ts';
import { temporaryFolders } from './support/temporary.ts';

import.meta.jest.setTimeout(600_000);

const makeFolder = temporaryFolders();
const postgres = usePostgres();
let project = '';

/** Runs a program. PostgreSQL blocks unless this process reads its messages meanwhile. */
const run = async (cwd: string, settings: NodeJS.ProcessEnv, command: string, ...args: string[]) => {
  const env = { ...environmentElsewhere(), ...settings };
  return (await promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 })).stdout;
};

beforeAll(async () => {
  project = join(await makeFolder(), 'conduit');
  await run(ROOT, {}, 'npm', 'run', '--silent', 'example', '--', 'conduit', project);
  linkPackages(project, await packPackages());
});

/** The suites that send right and wrong requests. */
const SUITES = ['conduit', 'refusals', 'store', 'contract'];

test.each([
  ['SQLite', () => ({})],
  ['PostgreSQL', async () => ({ TEST_DATABASE_URL: await postgres.createDatabase() })],
])('Conduit answers every right and every wrong request as it should, on %s', async (_database, prepare) => {
  for (const suite of SUITES) {
    const args = ['--import', 'tsx', '--test', '--test-reporter=tap', `tests/${suite}.test.ts`];
    expect(await run(project, await prepare(), 'node', ...args)).toMatch(/^# pass [1-9]\d*$/m);
  }
});
