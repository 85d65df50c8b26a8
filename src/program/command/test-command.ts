import { existsSync } from 'node:fs';
import { PRODUCT } from '../../product.ts';
import type { Command } from './command-line.ts';

/** The contract tests, which scripts/build.ts bundles beside the programs. Nothing else loads them. */
const TESTER = new URL('./contract-tests.js', import.meta.url);

interface Tester {
  readonly runCommand: (args: readonly string[], program: { readonly name: string }) => Promise<number>;
}

/** `test URL`: holds a service against its contract. */
export const testCommand: Command = {
  takesRawArguments: true,
  async run({ operands }) {
    if (!existsSync(TESTER)) throw new Error('the contract tests are not built: run `npm run build`');
    const tester: Tester = await import(TESTER.href);
    process.exitCode = await tester.runCommand(operands, { name: `${PRODUCT.name} test` });
    return process.exitCode === 0;
  },
};
