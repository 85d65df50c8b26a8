import { renderTable } from '../../support/table.ts';
import type { Standing } from '../rounds/rounds.ts';

/** A target of the service. */
export interface Target {
  readonly what: string;
  /** `undefined` if it was not measured. */
  readonly measured: number | undefined;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Whether a target is met; `undefined` if it was not measured. */
export const isMet = ({
  measured,
  atLeast = Number.NEGATIVE_INFINITY,
  atMost = Number.POSITIVE_INFINITY,
}: Target) => (measured === undefined ? undefined : measured >= atLeast && measured <= atMost);

/** The ratio of two medians; `undefined` if either is missing. */
export const ratioOf = (
  standings: readonly Standing[],
  [one, other]: readonly [one: string, other: string],
  metric: 'rate' | 'p99' = 'rate',
): number | undefined => {
  const medianOf = (name: string) =>
    standings.find((standing) => standing.name === name)?.measurements[metric]?.median;
  const [above, below] = [medianOf(one), medianOf(other)];
  return above !== undefined && below ? above / below : undefined;
};

const describeBound = ({ atLeast, atMost }: Target): string => {
  if (atLeast !== undefined) return `at least ${atLeast}`;
  return atMost === undefined ? '' : `at most ${atMost}`;
};

const VERDICTS = new Map([
  [true, 'yes'],
  [false, 'NO'],
]);

const verdictOf = (target: Target): string => {
  const met = isMet(target);
  return describeBound(target) === '' || met === undefined ? '' : (VERDICTS.get(met) ?? '');
};

/** The targets that were measured, as a table. */
export const renderTargets = (targets: readonly Target[]): string =>
  renderTable(
    ['of the medians', 'measured', 'wanted', 'met'],
    targets
      .filter(({ measured }) => measured !== undefined)
      .map((target) => [
        target.what,
        target.measured?.toFixed(2) ?? '',
        describeBound(target),
        verdictOf(target),
      ]),
  );
