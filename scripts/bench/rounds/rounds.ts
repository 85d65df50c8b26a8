import { type Spread, spreadOf } from './measure.ts';
import type { Figures, Round } from './round.ts';

/** One of those that are compared. */
export interface Contender {
  readonly name: string;
  readonly title: string;
  readonly round: () => Promise<Round>;
}

/** How a contender did over all rounds that counted. */
export interface Standing {
  readonly name: string;
  readonly title: string;
  readonly rounds: number;
  /** Why rounds did not count. */
  readonly voided: readonly string[];
  readonly figures: Readonly<Record<keyof Figures, Spread | undefined>>;
}

const FIGURES = [
  'rate',
  'p50',
  'p99',
  'cpu',
  'peakMiB',
  'generatorShare',
] as const satisfies (keyof Figures)[];

const sumUp = ({ name, title }: Contender, rounds: readonly Round[]): Standing => {
  const counted = rounds.flatMap(({ figures, wrong }) => (figures && wrong.length === 0 ? [figures] : []));
  const spreadOfFigure = (figure: keyof Figures) =>
    spreadOf(counted.map((figures) => figures[figure] ?? Number.NaN).filter(Number.isFinite));
  const [rate, p50, p99, cpu, peakMiB, generatorShare] = FIGURES.map(spreadOfFigure);
  return {
    name,
    title,
    rounds: counted.length,
    voided: rounds.flatMap(({ wrong }) => wrong),
    figures: { rate, p50, p99, cpu, peakMiB, generatorShare },
  };
};

const describe = ({ figures, wrong }: Round): string =>
  figures && wrong.length === 0
    ? `${Math.round(figures.rate).toLocaleString('en')}/s, p99 ${figures.p99.toFixed(1)} ms`
    : `void: ${wrong.join('; ')}`;

const attempt = async (contender: Contender): Promise<Round> => {
  try {
    return await contender.round();
  } catch (error) {
    return { figures: undefined, wrong: [error instanceof Error ? error.message : String(error)] };
  }
};

/**
 * Everybody has a turn in each round, and another begins it: what the machine does besides, now and then, falls on
 * all of them alike.
 */
export const runRounds = async (
  contenders: readonly Contender[],
  rounds: number,
  report: (text: string) => void,
): Promise<Standing[]> => {
  const done = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const result = await attempt(contender);
      done.get(contender.name)?.push(result);
      report(`round ${round + 1} of ${rounds}  ${contender.title}: ${describe(result)}`);
    }
  }
  return contenders.map((contender) => sumUp(contender, done.get(contender.name) ?? []));
};
