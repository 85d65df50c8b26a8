import { contractPathOf, type Product } from '../product.ts';
import type { Command } from './command-line.ts';

/** How the contract tests are called. */
interface TestProgram {
  readonly name: string;
  readonly version: string;
  readonly own: {
    readonly args: readonly string[];
    readonly spec: string;
    readonly settings?: Readonly<Record<string, string>> | undefined;
  };
}

/** The part of `@trellis/contract-tests` that the command needs. */
export interface Tester {
  readonly runCommand: (args: readonly string[], program: TestProgram) => Promise<number>;
}

/** What `test` needs to know of its program. */
export interface TestCommandOptions extends Pick<Product, 'name' | 'version' | 'contract'> {
  /** The settings of the service that is started if no URL is given; a SQLite file by default. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Loads the tester, once it is wanted. */
  readonly load: () => Promise<Tester>;
}

/**
 * `test [URL]`: tests a service against its contract. Without a URL it starts this program, on a temporary store.
 *
 * @example
 * const test = createTestCommand({ ...PRODUCT, load: () => import('@trellis/contract-tests') });
 */
export const createTestCommand = ({
  name,
  version,
  contract,
  settings,
  load,
}: TestCommandOptions): Command => ({
  takesRawArguments: true,
  async run({ operands }) {
    const { runCommand } = await load();
    process.exitCode = await runCommand(operands, {
      name: `${name} test`,
      version,
      own: {
        args: [...process.execArgv, process.argv[1] ?? '', 'serve'],
        spec: contractPathOf({ contract }),
        settings,
      },
    });
    return process.exitCode === 0;
  },
});
