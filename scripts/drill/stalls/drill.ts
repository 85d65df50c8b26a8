import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetPeak, readPeak } from '../measure/memory.ts';
import { type Prober, startProber } from '../measure/prober.ts';
import { readBusy } from '../measure/processor.ts';
import { createRandom } from '../random.ts';
import type { MakeCase, StallCase, StallClass } from './case.ts';
import { CLASSES } from './classes.ts';
import { exchange } from './exchange.ts';
import { excessOf, judge, type Measured, MOST_MEMORY, MOST_WAIT, PATIENCE } from './judge.ts';
import { type Services, startServices, type Target } from './services.ts';

/** How a drill is run. */
export interface StallOptions {
  /** How many variations of each case. */
  readonly rounds: number;
  readonly seed: number;
  /** Only cases whose name holds this text. */
  readonly only?: string | undefined;
  readonly report: (text: string) => void;
}

/** Something that should not have happened, and what it takes to see it again. */
export interface StallFinding {
  readonly name: string;
  readonly note: string;
  readonly what: readonly string[];
}

/** What came of a class. */
export interface StallRow {
  readonly title: string;
  cases: number;
  /** Left out, because enough was found. */
  spared: number;
  slowestProbe: number;
  slowestIdle: number;
  slowestAnswer: number;
  memory: number;
  findings: number;
}

/** What a drill has shown. */
export interface StallResult {
  readonly seed: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly rows: readonly StallRow[];
  readonly findings: readonly StallFinding[];
}

/** By then a class is known to stall, and more of it tells nothing new; of a single case, one finding is enough. */
const ENOUGH = 6;
/** A wait that is longer is nobody's luck, in milliseconds; a shorter one has to be seen again. */
const NO_LUCK = 2000;
const TRIES = 3;

/** The seed of a case is made of its name: another case more or less changes none of the others. */
const seedOf = (seed: number, name: string): number => {
  let hash = seed | 0;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash;
};

/** Sends one request, and gives what was seen of the service, which the prober knows by a name, and of the idle one. */
export const measure = async (
  { service, port }: Target,
  prober: Prober,
  { to, bytes }: Pick<StallCase, 'to' | 'bytes'>,
): Promise<Measured> => {
  await forgetPeak(service.pid);
  const [before, used] = [await readPeak(service.pid), await readBusy(service.pid)];
  await prober.mark();
  const answer = await exchange(port, bytes, PATIENCE);
  const read = await prober.read(answer.status === undefined ? 100 : PATIENCE);
  const none = { count: 0, p50: 0, p99: 0, most: 0 };
  return {
    answer,
    probes: read[to] ?? none,
    idle: read.idle ?? none,
    busy: (await readBusy(service.pid)) - (Number.isFinite(used) ? used : 0),
    memory: (await readPeak(service.pid)) - before,
  };
};

const isMachine = (measured: Measured): boolean =>
  excessOf(measured) > MOST_WAIT && excessOf(measured) < NO_LUCK;

/** Sends a case. A wait that the machine may be to blame for counts if it is there every time. */
const tryCase = async (services: Services, prober: Prober, stall: StallCase): Promise<Measured> => {
  const target = await services.target(stall.to);
  let least = await measure(target, prober, stall);
  for (let tries = 1; tries < TRIES && least.answer.status !== undefined && isMachine(least); tries += 1) {
    const next = await measure(target, prober, stall);
    if (excessOf(next) < excessOf(least)) least = next;
  }
  // It is gone, or would hang for ever, or has memory left over that the next case must not be blamed for.
  const { answer, memory } = least;
  if (answer.status === undefined || !(memory <= MOST_MEMORY)) await services.give(stall.to);
  return least;
};

const newRow = (title: string): StallRow => ({
  title,
  cases: 0,
  spared: 0,
  slowestProbe: 0,
  slowestIdle: 0,
  slowestAnswer: 0,
  memory: 0,
  findings: 0,
});

const count = (row: StallRow, { answer, probes, idle, memory }: Measured, flaws: readonly string[]): void => {
  row.cases += 1;
  row.slowestProbe = Math.max(row.slowestProbe, probes.most);
  row.slowestIdle = Math.max(row.slowestIdle, idle.most);
  row.slowestAnswer = Math.max(row.slowestAnswer, answer.milliseconds);
  row.memory = Math.max(row.memory, memory || 0);
  if (flaws.length > 0) row.findings += 1;
};

/** Sends every case of some classes in as many variations as there are rounds, and judges what came of it. */
const attack = async (options: StallOptions, services: Services, prober: Prober) => {
  const { rounds, seed, only = '', report } = options;
  const rows = new Map<StallClass, StallRow>();
  const findings: StallFinding[] = [];
  const known = new Set<MakeCase>();
  const all = CLASSES.flatMap((one) =>
    Object.entries(one.cases).flatMap(([name, make]) =>
      Array.from({ length: rounds }, (_, round) => ({
        one,
        name: `${one.title}: ${name} #${round + 1}`,
        make,
      })),
    ),
  ).filter(({ name }) => name.includes(only));
  for (const [nth, { one, name, make }] of all.entries()) {
    const row = rows.get(one) ?? newRow(one.title);
    rows.set(one, row);
    if (row.findings >= ENOUGH || known.has(make)) {
      row.spared += 1;
      continue;
    }
    const stall = make(createRandom(seedOf(seed, name)));
    const measured = await tryCase(services, prober, stall);
    const what = judge(measured, stall.expects);
    count(row, measured, what);
    if (what.length > 0) {
      findings.push({ name, note: stall.note, what });
      known.add(make);
    }
    report(`${nth + 1} of ${all.length} cases, ${findings.length} findings, ${name}`);
  }
  return { rows: [...rows.values()], findings };
};

/** Sends what is hard to serve, one at a time, and asks for /healthz meanwhile. */
export const runStallsDrill = async (options: StallOptions): Promise<StallResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-stalls-'));
  const prober = startProber();
  const started = performance.now();
  let services: Services | undefined;
  try {
    services = await startServices(folder, prober);
    const { rows, findings } = await attack(options, services, prober);
    const seconds = (performance.now() - started) / 1000;
    return { seed: options.seed, rounds: options.rounds, seconds, rows, findings };
  } finally {
    await services?.end();
    await prober.end();
    await rm(folder, { recursive: true, force: true });
  }
};
