import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PRODUCT } from '../../product.ts';
import { CONTRACT_FILE, readVersion } from '../package-files.ts';
import type { Command } from './command-line.ts';

/** The contract tests, which scripts/build/programs.ts bundles beside the programs. Nothing else loads them. */
const TESTER = new URL('./contract-tests.js', import.meta.url);

/** The service itself, which is tested if no URL is given. */
const SERVICE = new URL('./main.js', import.meta.url);

interface Program {
  readonly name: string;
  readonly version: string;
  readonly own: { readonly args: readonly string[]; readonly spec: string };
}

interface Tester {
  readonly runCommand: (args: readonly string[], program: Program) => Promise<number>;
}

/** `test [URL]`: holds a service against its contract. */
export const testCommand: Command = {
  takesRawArguments: true,
  async run({ operands }) {
    if (!existsSync(TESTER)) throw new Error('the contract tests are not built: run `npm run build`');
    const tester: Tester = await import(TESTER.href);
    process.exitCode = await tester.runCommand(operands, {
      name: `${PRODUCT.name} test`,
      version: readVersion(),
      own: { args: [fileURLToPath(SERVICE)], spec: CONTRACT_FILE },
    });
    return process.exitCode === 0;
  },
};
