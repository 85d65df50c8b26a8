import { rootOf } from '../document/servers.ts';
import { readConfigFile } from './config-file.ts';
import { EXIT, Exit, usage } from './exit.ts';
import { findContract, isOffered } from './find-contract.ts';
import { renderHelp } from './help.ts';
import type { Given } from './options.ts';
import { reachService } from './reach.ts';
import { readArguments } from './read-arguments.ts';
import { replayCases } from './replay-cases.ts';
import { readSettings, type Settings } from './settings.ts';
import { testService } from './test-service.ts';

/** How the command was called. */
export interface Program {
  /** As it is typed: `my-service test`. */
  readonly name: string;
  /** What it does without a URL; it needs one if this is missing. Gives the exit code. */
  readonly testOwnService?: (settings: Settings, given: Given) => Promise<number>;
}

const testAt = async (given: string, settings: Settings): Promise<number> => {
  const { spec, basePath, headers, replay } = settings;
  const wanted = { spec, basePath, headers, url: given };
  // Without a service there is no contract to be had from it.
  if (isOffered(wanted)) (await reachService(given, settings.transport, headers)).close();
  const { contract, name } = await findContract(wanted);
  const url = rootOf(given, contract.request.view.document);
  const transport = await reachService(url, settings.transport, headers);
  const target = { contract, spec: name, url, transport };
  try {
    return await (replay === undefined
      ? testService(target, settings)
      : replayCases(target, settings, replay));
  } finally {
    transport.close();
  }
};

const obey = async (args: readonly string[], { name, testOwnService }: Program): Promise<number> => {
  const typed = readArguments(args);
  if (typed.has('help')) {
    console.log(renderHelp(name, testOwnService !== undefined));
    return EXIT.kept;
  }
  const given: Given = new Map([
    ...(await readConfigFile(typed.get('config')?.at(-1), process.env)),
    ...typed,
  ]);
  const settings = readSettings(given);
  if (settings.url !== undefined) return testAt(settings.url, settings);
  if (testOwnService) return testOwnService(settings, given);
  throw usage(`name the service: ${name} URL; see --help`);
};

/** Runs the command, and gives its exit code. An error of ours is shown with its stack. */
export const runCommand = async (args: readonly string[], program: Program): Promise<number> => {
  try {
    return await obey(args, program);
  } catch (error) {
    if (!(error instanceof Exit)) {
      console.error(error);
      return EXIT.unexpected;
    }
    console.error(error.message);
    return error.code;
  }
};
