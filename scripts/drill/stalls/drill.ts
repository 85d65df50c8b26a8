import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { createChance } from '../chance.ts';
import type { DrillOptions, Report } from '../report.ts';
import { CLASSES } from './cases.ts';
import { startChild } from './child.ts';
import { GOOD_CLIENTS } from './good-clients.ts';
import { judge, type Measured, tryCase } from './measure.ts';
import { startServices } from './services.ts';

/** With so many findings in a class, more cases would show nothing new. Of one case, one finding is enough. */
const MAX_FINDINGS = 6;

/** What was measured of a class at most, in milliseconds and MiB. */
const createRow = () => ({ cases: 0, skipped: 0, findings: 0, most: [0, 0, 0, 0, 0] });

const figuresOf = ({ reply, good, idle, memory }: Measured): number[] => [
  ...GOOD_CLIENTS.map((client) => good[client].slowest),
  Math.max(...GOOD_CLIENTS.map((client) => idle[client].slowest)),
  reply?.milliseconds ?? 0,
  memory || 0,
];

const COLUMNS =
  'what was sent|cases|slowest create, ms|slowest /healthz, ms|idle beside them, ms|slowest answer, ms|most memory more, MiB|findings';

/** Every case whose name contains a text, in as many variations as there are rounds. */
const listCases = (rounds: number, only: string) =>
  Object.entries(CLASSES).flatMap(([title, cases]) =>
    Object.entries(cases).flatMap(([name, make]) =>
      Array.from({ length: rounds }, (_, round) => ({
        title,
        make,
        name: `${title}: ${name} #${round + 1}`,
      })).filter((each) => each.name.includes(only)),
    ),
  );

/** Sends requests that are hard to serve, one at a time, and lets crowds in. Good clients are measured meanwhile. */
export const runStalls = ({ rounds, seed, only = '', report }: DrillOptions): Promise<Report> =>
  inTemporaryFolder('plant-store-stalls', async (folder) => {
    const started = performance.now();
    const crowds = startChild(new URL('./crowds.ts', import.meta.url));
    const services = startServices(folder);
    const rows = new Map<string, ReturnType<typeof createRow>>();
    const findings: string[] = [];
    const known = new Set<unknown>();
    try {
      const all = listCases(rounds, only);
      for (const [nth, { title, name, make }] of all.entries()) {
        const row = rows.get(title) ?? createRow();
        rows.set(title, row);
        if (row.findings >= MAX_FINDINGS || known.has(make)) {
          row.skipped += 1;
          continue;
        }
        const chance = createChance(seed, name);
        const stall = make(chance);
        const measured = await tryCase(services, crowds, stall);
        const figures = figuresOf(measured);
        row.cases += 1;
        row.most = row.most.map((most, column) => Math.max(most, figures[column] ?? 0));
        const what = judge(measured, stall);
        if (what.length > 0) {
          row.findings += 1;
          known.add(make);
          findings.push(`${name}: ${what.join('; ')}\n  ${chance.note()}`);
        }
        report(`${nth + 1} of ${all.length} cases, ${findings.length} findings, ${name}`);
      }
    } finally {
      await Promise.all([services.end(), crowds.end()]);
    }
    const seconds = (performance.now() - started) / 1000;
    return {
      title: `Stalls, seed ${seed}, ${rounds} rounds: ${seconds.toFixed(1)} s`,
      columns: COLUMNS.split('|'),
      rows: [...rows].map(([title, { cases, skipped, most, findings: found }]) => [
        title,
        skipped > 0 ? `${cases} (${skipped} skipped)` : cases,
        ...most,
        found,
      ]),
      notes:
        findings.length === 0
          ? []
          : [
              `to reproduce one: npm run drill -- stalls --seed ${seed} --rounds ${rounds} --only "<its name>"`,
            ],
      findings,
    };
  });
