import type { Standing } from '../rounds/rounds.ts';
import type { Group } from './chart.ts';
import { renderTargets, type Target } from './targets.ts';

/** The outcome of a run, for people and for machines. */
export interface Outcome {
  readonly title: string;
  /** The tables. */
  readonly text: string;
  readonly standings: readonly Standing[];
  readonly targets: readonly Target[];
  readonly groups: readonly Group[];
  /** Everything that was measured, for the JSON file. */
  readonly measured: object;
}

/** Why rounds were void, each with the name of its contender. */
export const voidedIn = ({ standings }: Outcome): string[] =>
  standings.flatMap(({ title, voided }) => voided.map((why) => `${title}: ${why}`));

/** Says how busy the load generator was: if it is saturated, the results are its own limit. */
const describeGenerator = (standings: readonly Standing[]): string => {
  const most = Math.max(0, ...standings.map(({ measurements }) => measurements.generatorShare?.most ?? 0));
  const bottleneck = most > 0.9 ? '; IT WAS THE BOTTLENECK' : '';
  return `The load generator used ${Math.round(most * 100)} % of one core at most${bottleneck}.`;
};

/** The outcome of a run as text. */
export const renderOutcome = (machine: string, outcome: Outcome): string =>
  [
    machine,
    outcome.text,
    renderTargets(outcome.targets),
    [describeGenerator(outcome.standings), ...voidedIn(outcome).map((why) => `VOID  ${why}`)].join('\n'),
  ].join('\n\n');
