import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
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

const run = (cwd: string, settings: NodeJS.ProcessEnv, ...args: string[]): string =>
  execFileSync('npm', args, {
    cwd,
    env: { ...environmentElsewhere(), ...settings },
    encoding: 'utf8',
    stdio: 'pipe',
  });

beforeAll(async () => {
  project = join(await makeFolder(), 'conduit');
  run(ROOT, {}, 'run', '--silent', 'example', '--', 'conduit', project);
  linkPackages(project, await packPackages());
});

/** The suites that send right and wrong requests. Its contract tests have a false alarm: a slug follows its title. */
const SUITES = ['conduit', 'refusals', 'store'];

test.each([
  ['SQLite', () => ({})],
  ['PostgreSQL', async () => ({ TEST_DATABASE_URL: await postgres.createDatabase() })],
])('Conduit answers every right and every wrong request as it should, on %s', async (_database, prepare) => {
  for (const suite of SUITES) {
    const output = run(project, await prepare(), 'test', '--silent', '--', `tests/${suite}`, '--json');
    expect(JSON.parse(output)).toMatchObject({ numFailedTests: 0, numPassedTestSuites: 1 });
  }
});
