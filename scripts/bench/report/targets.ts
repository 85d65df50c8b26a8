import { renderTable } from '@trellis/contract-tests/internal';
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
  metric: 'rate' | 'p99' | 'cpu' = 'rate',
): number | undefined => {
  const medianOf = (name: string) =>
    standings.find((standing) => standing.name === name)?.measurements[metric]?.median;
  const [above, below] = [medianOf(one), medianOf(other)];
  return above !== undefined && below ? above / below : undefined;
};

/** The targets that were measured, as a table. */
export const renderTargets = (targets: readonly Target[]): string =>
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
