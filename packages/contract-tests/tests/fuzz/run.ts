/**
 * Fuzzes the contract tests: `npx tsx --conditions=source packages/contract-tests/tests/fuzz/run.ts [--runs 10000] [--seed 1] [--seconds 240]`. The runs
 * seeds, starting with the first. If the time is up before, prints the next seed.
 */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: 'Infinity' },
  },
});
const first = Number(values.seed);
const { runs, errors } = await fuzz(first, Number(values.runs), Number(values.seconds));
for (const error of errors) console.log(`${error}\n`);
console.log(`${runs} runs from seed ${first}: ${errors.length} different errors of the tester`);
if (runs < Number(values.runs)) console.log(`the time is up; the next seed is ${first + runs}`);
process.exitCode = errors.length === 0 ? 0 : 1;
