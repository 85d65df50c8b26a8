import type { Standing } from '../rounds/rounds.ts';
import type { Group } from './chart.ts';
import { renderTargets, type Target } from './targets.ts';

/** What a run has to show. */
export interface Outcome {
  readonly title: string;
  /** Its tables. */
  readonly text: string;
  readonly standings: readonly Standing[];
  readonly targets: readonly Target[];
  readonly groups: readonly Group[];
  /** For machines: everything that was measured. */
  readonly measured: object;
}

/** Why rounds did not count, each with whose it was. */
export const voidedIn = ({ standings }: Outcome): string[] =>
  standings.flatMap(({ title, voided }) => voided.map((why) => `${title}: ${why}`));

/** A generator that is busy itself measures itself. */
const describeGenerator = (standings: readonly Standing[]): string => {
  const most = Math.max(0, ...standings.map(({ figures }) => figures.generatorShare?.most ?? 0));
  const bottleneck = most > 0.9 ? '; IT WAS THE BOTTLENECK' : '';
  return `The load generator used ${Math.round(most * 100)} % of one core at most${bottleneck}.`;
};

/** Everything that a run has to show, to read. */
export const renderOutcome = (machine: string, outcome: Outcome): string =>
  [
    machine,
    outcome.text,
    renderTargets(outcome.targets),
    [describeGenerator(outcome.standings), ...voidedIn(outcome).map((why) => `VOID  ${why}`)].join('\n'),
  ].join('\n\n');
