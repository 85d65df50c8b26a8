/** Fuzzes the contract tests: `npx tsx packages/contract-tests/tests/fuzz/run.ts [--runs 10000] [--seed 1]`. */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const errors = await fuzz(Number(values.seed), Number(values.runs));
for (const error of errors) console.log(`${error}\n`);
console.log(`${values.runs} runs from seed ${values.seed}: ${errors.length} different errors of the tester`);
process.exitCode = errors.length === 0 ? 0 : 1;
