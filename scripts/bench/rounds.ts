import { count } from '@trellis/contract-tests/internal';
import type { BenchOptions } from './plan.ts';
import type { Measurements, Round } from './round.ts';

/** The median and range of some values. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The median and the range of values; `undefined` for no values. */
export const spreadOf = (values: readonly number[]): Spread | undefined => {
  const sorted = values.toSorted((one, other) => one - other);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return undefined;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? most;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? least;
  return { median: (lower + upper) / 2, least, most };
};

/** A server that takes part in a comparison. */
export interface Contender {
  readonly name: string;
  readonly title: string;
  readonly round: () => Promise<Round>;
}

/** The result of a contender over all rounds that counted. */
export interface Standing {
  readonly name: string;
  readonly title: string;
  readonly rounds: number;
  /** Why rounds were void. */
  readonly voided: readonly string[];
  readonly measurements: Readonly<Record<string, Spread | undefined>>;
}

const countedIn = (rounds: readonly Round[]): Measurements[] =>
  rounds.flatMap(({ measurements, wrong }) => (measurements && wrong.length === 0 ? [measurements] : []));

const sumUp = ({ name, title }: Contender, rounds: readonly Round[]): Standing => {
  const counted = countedIn(rounds);
  const over = (metric: string): number[] =>
    counted.map((measurements) => measurements[metric] ?? Number.NaN);
  const metrics = Object.keys(counted[0] ?? {});
  return {
    name,
    title,
    rounds: counted.length,
    voided: rounds.flatMap(({ wrong }) => wrong),
    measurements: Object.fromEntries(
      metrics.map((metric) => [metric, spreadOf(over(metric).filter(Number.isFinite))]),
    ),
  };
};

const write = (value: number | undefined): string =>
  value === undefined ? '–' : value < 10 ? value.toFixed(2) : count(value);

const describe = (round: Round): string => {
  const [measurements] = countedIn([round]);
  if (!measurements) return `void: ${round.wrong.join('; ')}`;
  return Object.entries(measurements)
    .map(([metric, value]) => `${metric} ${write(value)}`)
    .join(', ');
};

/**
 * Runs the rounds. Every contender has a turn in each round, and each round starts with another one, so that whatever
 * else the machine does affects all of them alike.
 */
export const runRounds = async (
  contenders: readonly Contender[],
  { rounds, report }: Pick<BenchOptions, 'rounds' | 'report'>,
): Promise<Standing[]> => {
  const done = contenders.map((contender): { contender: Contender; results: Round[] } => ({
    contender,
    results: [],
  }));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contenders.length;
    for (const { contender, results } of [...done.slice(first), ...done.slice(0, first)]) {
      const result = await contender.round().catch((error: unknown): Round => ({ wrong: [String(error)] }));
      results.push(result);
      report(`round ${round + 1} of ${rounds}  ${contender.title}: ${describe(result)}`);
    }
  }
  return done.map(({ contender, results }) => sumUp(contender, results));
};
