import type { Contract } from '../document/contract.ts';
import { describeOwnError, EXIT, Exit, type Given, readArguments, renderHelp, usage } from './options.ts';
import { credentialsFor, findContract, makeToken, type OwnService, startOwnService } from './service.ts';
import { type NamedSettings, readSettings } from './settings.ts';
import { testService } from './test-service.ts';

/** How the command was called. */
export interface Program {
  /** The command line that starts it, for the help: `my-service test`. */
  readonly name: string;
  readonly version: string;
  /** The service to start and test when no URL is given. Its contract is the default of `--spec`. */
  readonly own: OwnService;
}

/** Options that only make sense for a running service. */
const FOR_RUNNING = ['spec', 'base-path', 'token', 'basic', 'api-key'] as const;

const requireOwn = (given: Given): void => {
  const other = FOR_RUNNING.find((name) => given[name] !== undefined);
  if (other !== undefined) throw usage(`--${other} is for a running service: give its URL too`);
};

const testOwn = async (own: OwnService, contract: Contract, settings: NamedSettings): Promise<number> => {
  const token = makeToken();
  const { url, end } = await startOwnService(own, token);
  const credentials = credentialsFor(contract, token);
  return testService(contract, url, { ...settings, credentials }).finally(end);
};

const runCommandLine = async (args: readonly string[], { name, own }: Program): Promise<number> => {
  const given = readArguments(args);
  if (given.help) {
    console.log(renderHelp(name));
    return EXIT.kept;
  }
  const settings = { ...readSettings(given), spec: given.spec ?? own.spec };
  const { url } = settings;
  if (url === undefined) requireOwn(given);
  const contract = await findContract(settings);
  return url === undefined ? testOwn(own, contract, settings) : testService(contract, url, settings);
};

/**
 * Runs the command and returns its exit code. An internal error is printed with the details that a bug report needs.
 *
 * @example
 * process.exitCode = await runCommand(['http://127.0.0.1:3000', '--spec', 'openapi.yaml'], { name: 'my-tests', version: '1.0.0' });
 */
export const runCommand = async (args: readonly string[], program: Program): Promise<number> => {
  try {
    return await runCommandLine(args, program);
  } catch (error) {
    if (error instanceof Exit) {
      console.error(error.message);
      return error.code;
    }
    console.error(describeOwnError(error, program.version));
    return EXIT.unexpected;
  }
};
