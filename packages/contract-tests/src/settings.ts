import type { Selection } from './selection.ts';

/** The environment variable with settings of the test suite, as JSON. */
export const SETTINGS_VARIABLE = 'CONTRACT_TESTS';

/** How the test suite checks the contract. */
export interface SuiteSettings extends Selection {
  readonly requests: number;
  readonly seed: number;
}

/** The settings of the test suite: those of the environment, or the defaults. */
export const readSettings = (environment: NodeJS.ProcessEnv): SuiteSettings => ({
  requests: 250,
  seed: 41,
  ...JSON.parse(environment[SETTINGS_VARIABLE] ?? '{}'),
});
