import { statfsSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { renderTable } from '@trellis/contract-tests/internal';
import { hasWrk } from './load.ts';
import type { BenchOptions } from './plan.ts';
import type { Spread, Standing } from './rounds.ts';

/** A kind of benchmark. */
export interface Bench {
  /** The names for `--only`: of each list, all are measured if none is given. */
  readonly names: readonly (readonly string[])[];
  /** The defaults of options, where they differ. */
  readonly connections?: string;
  readonly rounds?: string;
  /** The load generator; wrk by default. */
  readonly generator?: string;
  /** The columns of the table, and the ratios below it. */
  readonly columns?: Columns;
  readonly ratios?: readonly Ratio[];
  readonly run: (options: BenchOptions) => Promise<Standing[]>;
}

/** TMPFS_MAGIC of statfs(2). */
const TMPFS = 0x01021994;

/** One line about the machine, on which the load generator runs too. Throws if it cannot measure anything. */
export const describeMachine = (generator: string): string => {
  if (statfsSync(tmpdir()).type === TMPFS)
    throw new Error(`${tmpdir()} is in memory, where nothing is durable; set TMPDIR to a folder on a disk`);
  if (generator === 'wrk' && !hasWrk())
    throw new Error('wrk is not installed; on Debian: apt-get install wrk, on macOS: brew install wrk');
  const cores = cpus();
  const [load = 0] = loadavg();
  return [
    new Date().toISOString().slice(0, 10),
    `${cores.length} cores (${cores[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`,
    `Node ${process.version}, load by ${generator} on the same machine`,
    `load average ${load.toFixed(1)} before${load > cores.length / 4 ? ': NOT A QUIET MACHINE' : ''}`,
  ].join('; ');
};

/** A ratio between two servers, by the median of a metric, and the bounds that were set for it. */
export interface Ratio {
  readonly what: string;
  readonly of: readonly [one: string, other: string, metric?: string];
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** The ratios for creates. */
export const CREATE_RATIOS: readonly Ratio[] = [
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

/** The ratios that were measured, and whether each is within its bounds. */
export const renderRatios = (standings: readonly Standing[], ratios: readonly Ratio[]): string => {
  const rows = ratios.flatMap(({ what, of: [one, other, metric = 'rate'], atLeast, atMost }) => {
    const [above, below] = [one, other].map(
      (name) => standings.find((standing) => standing.name === name)?.measurements[metric]?.median,
    );
    if (above === undefined || !below) return [];
    const ratio = above / below;
    const wanted =
      atLeast !== undefined ? `at least ${atLeast}` : atMost !== undefined ? `at most ${atMost}` : '';
    const isMet = ratio >= (atLeast ?? 0) && ratio <= (atMost ?? Number.POSITIVE_INFINITY);
    return [[what, ratio.toFixed(2), wanted, wanted && (isMet ? 'yes' : 'NO')]];
  });
  return rows.length === 0 ? '' : renderTable(['of the medians', 'measured', 'wanted', 'met'], rows);
};

const write = (value: number, digits: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The columns of a table: a metric, its number of digits, and whether its range is shown. */
type Columns = readonly (readonly [title: string, metric: string, digits: number, as?: 'range'])[];

const COLUMNS: Columns = [
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
export const renderStandings = (what: string, standings: readonly Standing[], columns = COLUMNS): string =>
  renderTable(
    [what, 'rounds', ...columns.map(([title]) => title)],
    standings.map(({ title, rounds, voided, measurements }) => [
      title,
      voided.length > 0 ? `${rounds}, some void` : `${rounds}`,
      ...columns.map(([, metric, digits, as]) => writeSpread(measurements[metric], digits, as)),
    ]),
  );

/** Why rounds were void, each with the name of its contender. */
export const voidedIn = (standings: readonly Standing[]): string[] =>
  standings.flatMap(({ title, voided }) => voided.map((why) => `${title}: ${why}`));

/** Reports how busy the load generator was. If it is saturated, the results show its own limit. */
const describeGenerator = (standings: readonly Standing[]): string => {
  const most = Math.max(...standings.map(({ measurements }) => measurements.generatorShare?.most ?? 0));
  if (most <= 0) return '';
  const bottleneck = most > 0.9 ? '; IT WAS THE BOTTLENECK' : '';
  return `The load generator used ${Math.round(most * 100)} % of one core at most${bottleneck}.`;
};

/** The outcome of a run as text. */
export const renderResults = (
  machine: string,
  what: string,
  standings: readonly Standing[],
  { columns, ratios = [] }: Pick<Bench, 'columns' | 'ratios'>,
): string =>
  [
    machine,
    renderStandings(what, standings, columns),
    renderRatios(standings, ratios),
    describeGenerator(standings),
    voidedIn(standings)
      .map((why) => `VOID  ${why}`)
      .join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
