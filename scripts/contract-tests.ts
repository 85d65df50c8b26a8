/**
 * Tests a service against its contract: sends valid and invalid requests generated from openapi.yaml and checks every answer.
 * Without a URL, the test suite starts the service and does the same. See --help.
 */
import { spawnSync } from 'node:child_process';
import { runCommand } from './contract-tests/command/command.ts';
import { EXIT, usage } from './contract-tests/command/exit.ts';
import { findContract } from './contract-tests/command/find-contract.ts';
import type { Given } from './contract-tests/command/options.ts';
import type { Settings } from './contract-tests/command/settings.ts';
import { operationsOf } from './contract-tests/document/operations.ts';
import { NothingSelected, selectOperations } from './contract-tests/selection.ts';
import { SETTINGS_VARIABLE, type SuiteSettings } from './contract-tests/settings.ts';

/** The options that the test suite knows; the others are for a service that runs. */
const FOR_SUITE = ['include', 'exclude', 'operation', 'phase', 'skip-phase', 'requests', 'seed', 'config'];

const requireChoice = async ({ selection }: Settings): Promise<void> => {
  const { contract } = await findContract({
    spec: 'openapi.yaml',
    url: '',
    basePath: undefined,
    headers: [],
  });
  try {
    selectOperations(operationsOf(contract), selection);
  } catch (error) {
    throw error instanceof NothingSelected ? usage(error.message) : error;
  }
};

/** The test suite starts the service itself and knows its token. */
const testOwnService = async (settings: Settings, given: Given): Promise<number> => {
  const other = [...given.keys()].find((name) => !FOR_SUITE.includes(name));
  if (other !== undefined) throw usage(`--${other} is for a running service: give --url too`);
  await requireChoice(settings);
  const { selection, requests, seed } = settings;
  const forSuite: Partial<SuiteSettings> = {
    ...selection,
    requests,
    ...(seed !== undefined && { seed }),
  };
  const { status } = spawnSync(
    'npm',
    ['test', '--silent', '--', 'tests/program/operations.test.ts', '--coverage=false', '--verbose'],
    { stdio: 'inherit', env: { ...process.env, [SETTINGS_VARIABLE]: JSON.stringify(forSuite) } },
  );
  return status === 0 ? EXIT.kept : EXIT.broken;
};

process.exitCode = await runCommand(process.argv.slice(2), {
  name: 'npm run test:contract --',
  testOwnService,
});
