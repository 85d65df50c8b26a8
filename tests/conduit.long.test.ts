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

test('Conduit answers every right and every wrong request as it should, and passes its contract tests', () => {
  expect(JSON.parse(run(project, {}, 'test', '--silent', '--', '--json'))).toMatchObject({
    numFailedTests: 0,
    numPassedTestSuites: 3,
  });
});

test.each(['conduit', 'refusals'])('the tests of its %s pass on PostgreSQL', async (suite) => {
  const settings = { TEST_DATABASE_URL: await postgres.createDatabase() };
  expect(
    JSON.parse(run(project, settings, 'test', '--silent', '--', `tests/${suite}`, '--json')),
  ).toMatchObject({ numFailedTests: 0, numPassedTestSuites: 1 });
});
