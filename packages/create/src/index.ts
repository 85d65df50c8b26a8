import { existsSync, readFileSync } from 'node:fs';
import { type Command, UsageError } from '@trellis/server/command';
import { runCommandLine } from '@trellis/server/internal';
import type { Config } from './config.ts';
import { HELP } from './help.ts';

export type { Config } from './config.ts';

/** A command that works on the project in the current folder. */
const inProject =
  (run: Command['run']): Command['run'] =>
  async (given) => {
    if (existsSync('openapi.yaml')) return run(given);
    throw new Error(
      'there is no openapi.yaml in this folder; change to a project, or create one with `trellis new`',
    );
  };

/** The commands. Each loads its modules when it runs. */
const createCommands = (config: Config) =>
  ({
    new: {
      options: {
        spec: { type: 'string' },
        name: { type: 'string' },
        store: { type: 'string', default: 'sqlite' },
        registry: { type: 'boolean', default: false },
      },
      mostOperands: 1,
      async run({ options: { spec, name, store, registry }, operands: [folder] }) {
        if (folder === undefined) throw new UsageError('name the folder to make');
        if (typeof spec !== 'string') throw new UsageError('name the contract with --spec FILE');
        const { STORES } = await import('./new/templates.ts');
        const kind = STORES.find((each) => each === store);
        if (!kind) throw new UsageError(`--store must be ${STORES.join(', ')}`);
        const { runNew } = await import('./new/project.ts');
        const given = typeof name === 'string' ? name : undefined;
        return runNew({ folder, spec, name: given, store: kind, registry: registry === true }, config);
      },
    },
    generate: {
      options: { check: { type: 'boolean' }, strict: { type: 'boolean' } },
      run: inProject(async ({ options: { check, strict } }) => {
        const { runGenerate } = await import('./generate.ts');
        return runGenerate({ isCheck: check === true, isStrict: strict === true });
      }),
    },
    dev: { run: inProject(async () => (await import('./dev.ts')).runDev(config)) },
    build: { run: inProject(async () => (await import('./build.ts')).runBuild(config)) },
    check: {
      run: inProject(async () => {
        const { checkTypes } = await import('./compiler.ts');
        const { runGenerate } = await import('./generate.ts');
        const isUpToDate = await runGenerate({ isCheck: true, isStrict: false });
        const fits = await checkTypes();
        if (fits) console.log('the types fit');
        return fits && isUpToDate;
      }),
    },
    upgrade: {
      options: { to: { type: 'string', default: 'latest' } },
      async run({ options: { to } }) {
        return (await import('./upgrade.ts')).runUpgrade(String(to));
      },
    },
  }) satisfies Record<string, Command>;

/**
 * Runs a command of `trellis` in the project of the current folder, and returns the exit code.
 *
 * @example
 * process.exitCode = await runTrellis(['generate', '--check']);
 */
export const runTrellis = (args: readonly string[], config: Config = {}): Promise<number> => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return runCommandLine({ name: 'trellis', version, commands: createCommands(config), help: HELP }, args);
};
