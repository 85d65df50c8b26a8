import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import type { Report } from '../report.ts';
import { type MakeCase, makeCase } from './case.ts';
import { startChild } from './child.ts';
import { CLASSES } from './classes.ts';
import { GOOD_CLIENTS, startGoodClients } from './good-clients.ts';
import { type Instruments, judge, type Measured, tryCase } from './measure.ts';
import { type Services, startServices } from './services.ts';

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

/** What was measured of a class at most, in milliseconds and MiB. */
const NEW_ROW = {
  cases: 0,
  /** Not sent, because enough was found. */
  skipped: 0,
  slowestCreate: 0,
  slowestHealth: 0,
  slowestIdle: 0,
  slowestReply: 0,
  memory: 0,
  findings: 0,
};

/** The result of a class. */
export type StallRow = { readonly title: string } & typeof NEW_ROW;

/** With so many findings in a class, more cases would show nothing new. Of one case, one finding is enough. */
const MAX_FINDINGS = 6;
/** The seed of a case depends on its name, so that adding or removing a case does not change the others. */
const seedOf = (seed: number, name: string): number => {
  let hash = seed | 0;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash;
};

const addTo = (row: StallRow, { reply, good, idle, memory }: Measured): void => {
  row.cases += 1;
  row.slowestCreate = Math.max(row.slowestCreate, good.creates.slowest);
  row.slowestHealth = Math.max(row.slowestHealth, good['/healthz'].slowest);
  row.slowestIdle = Math.max(row.slowestIdle, ...GOOD_CLIENTS.map((client) => idle[client].slowest));
  row.slowestReply = Math.max(row.slowestReply, reply?.milliseconds ?? 0);
  row.memory = Math.max(row.memory, memory || 0);
};

/** Every variation of every case whose name contains a text. */
const listCases = (rounds: number, only: string) =>
  CLASSES.flatMap(({ title, cases }) =>
    Object.entries(cases).flatMap(([name, make]) =>
      Array.from({ length: rounds }, (_, round) => ({
        title,
        name: `${title}: ${name} #${round + 1}`,
        make,
      })),
    ),
  ).filter(({ name }) => name.includes(only));

/** Sends all cases, each in as many variations as there are rounds, and judges what was measured. */
const attack = async (options: StallOptions, services: Services, instruments: Instruments) => {
  const { rounds, seed, only = '', report } = options;
  const rows = new Map<string, StallRow>();
  const findings: StallFinding[] = [];
  const known = new Set<MakeCase>();
  const all = listCases(rounds, only);
  for (const [nth, { title, name, make }] of all.entries()) {
    const row = rows.get(title) ?? { title, ...NEW_ROW };
    rows.set(title, row);
    if (row.findings >= MAX_FINDINGS || known.has(make)) {
      row.skipped += 1;
      continue;
    }
    const stall = makeCase(make, seedOf(seed, name));
    const measured = await tryCase(services, instruments, stall);
    addTo(row, measured);
    const what = judge(measured, stall);
    if (what.length > 0) {
      row.findings += 1;
      findings.push({ name, note: stall.note, what });
      known.add(make);
    }
    report(`${nth + 1} of ${all.length} cases, ${findings.length} findings, ${name}`);
  }
  return { rows: [...rows.values()], findings };
};

/** Sends requests that are hard to serve, one at a time, and lets crowds in. Good clients are measured meanwhile. */
export const runStallsDrill = (options: StallOptions) =>
  inTemporaryFolder('plant-store-stalls', async (folder) => {
    const { seed, rounds } = options;
    const started = performance.now();
    const good = startGoodClients();
    const crowds = startChild(new URL('./crowds.ts', import.meta.url));
    let services: Services | undefined;
    try {
      services = await startServices(folder, good);
      const found = await attack(options, services, { good, crowds });
      return { seed, rounds, seconds: (performance.now() - started) / 1000, ...found };
    } finally {
      await services?.end();
      await Promise.all([good.end(), crowds.end()]);
    }
  });

/** The result of a drill. */
export type StallResult = Awaited<ReturnType<typeof runStallsDrill>>;

const COLUMNS =
  'what was sent|cases|slowest create, ms|slowest /healthz, ms|idle beside them, ms|slowest answer, ms|most memory more, MiB|findings';

/** What was found, class by class. */
export const reportStalls = ({ seed, rounds, seconds, rows, findings }: StallResult): Report => ({
  title: `Stalls, seed ${seed}, ${rounds} rounds: ${seconds.toFixed(1)} s`,
  columns: COLUMNS.split('|'),
  rows: rows.map((row) => [
    row.title,
    row.skipped > 0 ? `${row.cases} (${row.skipped} skipped)` : row.cases,
    ...[row.slowestCreate, row.slowestHealth, row.slowestIdle],
    ...[row.slowestReply, row.memory, row.findings],
  ]),
  notes:
    findings.length === 0
      ? []
      : [`to reproduce one: npm run drill -- stalls --seed ${seed} --rounds ${rounds} --only "<its name>"`],
  findings: findings.map(({ name, note, what }) => `${name}: ${what.join('; ')}\n  ${note}`),
});
