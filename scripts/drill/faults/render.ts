import { count, renderTable } from '@trellis/contract-tests/internal';
import type { DrillResult } from './drill.ts';

const HEADER = [
  'fault',
  'rounds',
  'acknowledged',
  'lost',
  'altered',
  'twice',
  'refused (503)',
  'unanswered',
  'too late',
  'seconds to recover (median / most)',
];

/** How many wrong answers of a drill are shown. */
const MAX_SHOWN = 5;

const seconds = (value = Number.NaN): string => value.toFixed(2);

/** Renders the results for people. */
export const renderFaults = (results: readonly DrillResult[]): string => {
  const rows = results.map(({ fault, recoveries, ...result }) => [
    fault.title,
    ...[result.rounds, result.acknowledged, result.lost, result.altered, result.twice].map(count),
    ...[result.refused, result.unanswered, result.tooLate].map(count),
    `${seconds(recoveries[Math.floor(recoveries.length / 2)])} / ${seconds(recoveries.at(-1))}`,
  ]);
  const wrong = results.flatMap(({ fault, wrong }) =>
    wrong.slice(0, MAX_SHOWN).map((each) => `${fault.title}: ${each}`),
  );
  return [renderTable(HEADER, rows), ...wrong].join('\n');
};
