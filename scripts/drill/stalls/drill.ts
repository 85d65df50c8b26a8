import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { readCpuTime } from '../measure/cpu.ts';
import { readPeak, resetPeak } from '../measure/peak-memory.ts';
import { type Prober, startProber } from '../measure/prober.ts';
import { createRandom } from '../random.ts';
import type { MakeCase, StallCase, StallClass } from './case.ts';
import { CLASSES } from './classes.ts';
import { exchange } from './exchange.ts';
import { ANSWER_TIMEOUT, excessOf, judge, MAX_MEMORY, MAX_WAIT, type Measured } from './judge.ts';
import { type Services, startServices, type Target } from './services.ts';

/** How the drill runs. */
export interface StallOptions {
  /** The number of variations of each case. */
  readonly rounds: number;
  readonly seed: number;
  /** Run only the cases whose name contains this text. */
  readonly only?: string | undefined;
  readonly report: (text: string) => void;
}

/** Something that should not have happened, and what it takes to reproduce it. */
export interface StallFinding {
  readonly name: string;
  readonly note: string;
  readonly what: readonly string[];
}

/** The result of a class. */
export interface StallRow {
  readonly title: string;
  cases: number;
  /** Not sent, because enough was found. */
  skipped: number;
  slowestProbe: number;
  slowestIdle: number;
  slowestAnswer: number;
  memory: number;
  findings: number;
}

/** The result of a drill. */
export interface StallResult {
  readonly seed: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly rows: readonly StallRow[];
  readonly findings: readonly StallFinding[];
}

/** With so many findings in a class, more cases would show nothing new. Of one case, one finding is enough. */
const MAX_FINDINGS = 6;
/** A longer excess is no coincidence, in milliseconds. A shorter one must occur again. */
const SURE_EXCESS = 2000;
const TRIES = 3;

/** The seed of a case depends on its name, so that adding or removing a case does not change the others. */
const seedOf = (seed: number, name: string): number => {
  let hash = seed | 0;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash;
};

/** Sends one request, and measures the service and the idle one meanwhile. */
export const measure = async (
  { service, port }: Target,
  prober: Prober,
  { to, bytes }: Pick<StallCase, 'to' | 'bytes'>,
): Promise<Measured> => {
  await resetPeak(service.pid);
  const [before, used] = [await readPeak(service.pid), await readCpuTime(service.pid)];
  await prober.mark();
  const answer = await exchange(port, bytes, ANSWER_TIMEOUT);
  const read = await prober.read(answer.status === undefined ? 100 : ANSWER_TIMEOUT);
  const none = { count: 0, p50: 0, p99: 0, max: 0 };
  return {
    answer,
    probes: read[to] ?? none,
    idle: read.idle ?? none,
    busy: (await readCpuTime(service.pid)) - (Number.isFinite(used) ? used : 0),
    memory: (await readPeak(service.pid)) - before,
  };
};

const isMachine = (measured: Measured): boolean =>
  excessOf(measured) > MAX_WAIT && excessOf(measured) < SURE_EXCESS;

/** Sends a case. A wait that the machine may be to blame for counts if it is there every time. */
const tryCase = async (services: Services, prober: Prober, stall: StallCase): Promise<Measured> => {
  const target = await services.target(stall.to);
  let least = await measure(target, prober, stall);
  for (let tries = 1; tries < TRIES && least.answer.status !== undefined && isMachine(least); tries += 1) {
    const next = await measure(target, prober, stall);
    if (excessOf(next) < excessOf(least)) least = next;
  }
  // The process is gone, hangs, or keeps memory that the next case must not be blamed for.
  const { answer, memory } = least;
  if (answer.status === undefined || !(memory <= MAX_MEMORY)) await services.stop(stall.to);
  return least;
};

const newRow = (title: string): StallRow => ({
  title,
  cases: 0,
  skipped: 0,
  slowestProbe: 0,
  slowestIdle: 0,
  slowestAnswer: 0,
  memory: 0,
  findings: 0,
});

const count = (row: StallRow, { answer, probes, idle, memory }: Measured, flaws: readonly string[]): void => {
  row.cases += 1;
  row.slowestProbe = Math.max(row.slowestProbe, probes.max);
  row.slowestIdle = Math.max(row.slowestIdle, idle.max);
  row.slowestAnswer = Math.max(row.slowestAnswer, answer.milliseconds);
  row.memory = Math.max(row.memory, memory || 0);
  if (flaws.length > 0) row.findings += 1;
};

/** Sends all cases, each in as many variations as there are rounds, and judges what was measured. */
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
    if (row.findings >= MAX_FINDINGS || known.has(make)) {
      row.skipped += 1;
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

const drill = async (folder: string, options: StallOptions): Promise<StallResult> => {
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
  }
};

/** Sends requests that are hard to serve, one at a time, and probes /healthz meanwhile. */
export const runStallsDrill = (options: StallOptions): Promise<StallResult> =>
  inTemporaryFolder('plant-store-stalls', (folder) => drill(folder, options));
