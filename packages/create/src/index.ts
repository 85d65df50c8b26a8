import type { Config } from './config.ts';

export type { Config } from './config.ts';

/** Each command, and how it is loaded: a command loads nothing of the others. */
const COMMANDS: Readonly<Record<string, (args: readonly string[], config: Config) => Promise<number>>> = {
  new: async (args, config) => (await import('./new.ts')).runNew(args, config),
  generate: async (args) => (await import('./generate.ts')).runGenerate(args),
  dev: async (_args, config) => (await import('./dev.ts')).runDev(config),
  build: async (_args, config) => (await import('./build.ts')).runBuild(config),
  check: async () => (await import('./check.ts')).runCheck(),
  upgrade: async (args) => (await import('./upgrade.ts')).runUpgrade(args),
};

const USAGE = `Usage: trellis COMMAND [OPTIONS]

Commands:
  new FOLDER --spec FILE   make a project out of an OpenAPI document
  generate                 bring types, client and stubs up to date with openapi.yaml
  dev                      run the service and follow every edit
  build                    make the programs in dist
  check                    check the types, and that generated files are up to date
  upgrade [--to VERSION]   move the project to another version of the packages
`;

/** Runs a command of `trellis` in the project of the current folder. Gives the exit code. */
export const runTrellis = async (
  [name = '--help', ...args]: readonly string[],
  config: Config = {},
): Promise<number> => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command(args, config);
  const isHelp = name === '--help' || name === '-h' || name === 'help';
  (isHelp ? console.log : console.error)(isHelp ? USAGE : `there is no command ${name}\n\n${USAGE}`);
  return isHelp ? 0 : 2;
};
