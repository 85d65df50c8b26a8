import { statfsSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { renderTable } from '@trellis/contract-tests/internal';
import { hasWrk } from './load.ts';
import type { Metric } from './round.ts';
import type { Spread, Standing } from './rounds.ts';

/** TMPFS_MAGIC of statfs(2). */
const TMPFS = 0x01021994;

/** One line about the machine, on which the load generator runs too. Throws if it cannot measure anything. */
export const describeMachine = (node: string, generator = 'wrk'): string => {
  if (statfsSync(tmpdir()).type === TMPFS)
    throw new Error(`${tmpdir()} is in memory, where nothing is durable; set TMPDIR to a folder on a disk`);
  if (generator === 'wrk' && !hasWrk())
    throw new Error('wrk is not installed; on Debian: apt-get install wrk, on macOS: brew install wrk');
  const cores = cpus();
  const [load = 0] = loadavg();
  return [
    new Date().toISOString().slice(0, 10),
    `${cores.length} cores (${cores[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`,
    `Node ${node}, load by ${generator} on the same machine`,
    `load average ${load.toFixed(1)} before${load > cores.length / 4 ? ': NOT A QUIET MACHINE' : ''}`,
  ].join('; ');
};

/** A ratio that the service should reach. */
export interface Target {
  readonly what: string;
  /** `undefined` if it was not measured. */
  readonly measured: number | undefined;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** A ratio between two servers, and the bounds that were set for it. */
export interface Ratio extends Omit<Target, 'measured'> {
  readonly of: readonly [one: string, other: string, metric?: Metric];
}

const RATIOS: readonly Ratio[] = [
  { what: 'this service / the other build', of: ['ours', 'before'] },
  { what: 'this service / the limit', of: ['ours', 'limit'], atLeast: 0.82 },
  { what: 'p99 of this service / of the limit', of: ['ours', 'limit', 'p99'], atMost: 1.5 },
  { what: 'this service / Fastify', of: ['ours', 'fastify'], atLeast: 2.3 },
  { what: 'this service / Fastify, group commit', of: ['ours', 'fastify-group'], atLeast: 1 },
  { what: 'CPU of the same', of: ['ours', 'fastify-group', 'cpu'], atMost: 1.25 },
  { what: 'p99 of the same', of: ['ours', 'fastify-group', 'p99'], atMost: 1 },
  { what: 'two workers / one process', of: ['workers', 'ours'], atLeast: 1.2 },
  { what: 'CPU of two workers / of one process', of: ['workers', 'ours', 'cpu'], atMost: 1.15 },
  { what: 'this service / Hono', of: ['ours', 'hono'] },
  { what: 'this service on PostgreSQL / pgbench', of: ['postgres', 'pgbench'], atLeast: 1 },
  { what: 'two workers on PostgreSQL / one process', of: ['postgres-workers', 'postgres'] },
  { what: 'CPU of two workers on PostgreSQL / of one process', of: ['postgres-workers', 'postgres', 'cpu'] },
];

/** The targets, with the ratios of medians that were measured. */
export const targetsOf = (standings: readonly Standing[], ratios = RATIOS): Target[] =>
  ratios.map(({ of: [one, other, metric = 'rate'], ...target }) => {
    const [above, below] = [one, other].map(
      (name) => standings.find((standing) => standing.name === name)?.measurements[metric]?.median,
    );
    return { ...target, measured: above !== undefined && below ? above / below : undefined };
  });

/** Whether a target is met; `undefined` if it was not measured. */
export const isMet = ({
  measured,
  atLeast = Number.NEGATIVE_INFINITY,
  atMost = Number.POSITIVE_INFINITY,
}: Target) => (measured === undefined ? undefined : measured >= atLeast && measured <= atMost);

const renderTargets = (targets: readonly Target[]): string =>
  renderTable(
    ['of the medians', 'measured', 'wanted', 'met'],
    targets.flatMap((target) => {
      const { what, measured, atLeast, atMost } = target;
      if (measured === undefined) return [];
      const wanted =
        atLeast !== undefined ? `at least ${atLeast}` : atMost !== undefined ? `at most ${atMost}` : '';
      return [[what, measured.toFixed(2), wanted, wanted && (isMet(target) ? 'yes' : 'NO')]];
    }),
  );

const write = (value: number, digits: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The columns of the table: a metric, and its number of digits. */
const COLUMNS: readonly (readonly [title: string, metric: Metric, digits: number, as?: 'range'])[] = [
  ['requests/s', 'rate', 0, 'range'],
  ['p50 ms', 'p50', 1],
  ['p99 ms', 'p99', 1, 'range'],
  ['CPU s / 10,000', 'cpu', 2],
  ['ready ms', 'readyMs', 0],
  ['MiB at rest', 'restingMiB', 0],
  ['peak MiB', 'peakMiB', 0],
];

const writeSpread = (spread: Spread | undefined, digits: number, as?: 'range'): string => {
  if (!spread) return '–';
  const [median, least, most] = [spread.median, spread.least, spread.most].map((each) => write(each, digits));
  return as === 'range' ? `${median} (${least}–${most})` : `${median}`;
};

/** The results as a table: medians over the rounds, some with the lowest and highest value in brackets. */
export const renderStandings = (what: string, standings: readonly Standing[]): string =>
  renderTable(
    [what, 'rounds', ...COLUMNS.map(([title]) => title)],
    standings.map(({ title, rounds, voided, measurements }) => [
      title,
      voided.length > 0 ? `${rounds}, some void` : `${rounds}`,
      ...COLUMNS.map(([, metric, digits, as]) => writeSpread(measurements[metric], digits, as)),
    ]),
  );

/** Why rounds were void, each with the name of its contender. */
export const voidedIn = (standings: readonly Standing[]): string[] =>
  standings.flatMap(({ title, voided }) => voided.map((why) => `${title}: ${why}`));

/** Reports how busy the load generator was. If it is saturated, the results show its own limit. */
const describeGenerator = (standings: readonly Standing[]): string => {
  const most = Math.max(0, ...standings.map(({ measurements }) => measurements.generatorShare?.most ?? 0));
  const bottleneck = most > 0.9 ? '; IT WAS THE BOTTLENECK' : '';
  return `The load generator used ${Math.round(most * 100)} % of one core at most${bottleneck}.`;
};

/** The outcome of a run as text. */
export const renderResults = (
  machine: string,
  what: string,
  standings: readonly Standing[],
  targets: readonly Target[],
): string =>
  [
    machine,
    renderStandings(what, standings),
    renderTargets(targets),
    [describeGenerator(standings), ...voidedIn(standings).map((why) => `VOID  ${why}`)].join('\n'),
  ].join('\n\n');
