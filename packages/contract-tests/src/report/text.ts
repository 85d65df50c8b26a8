import type { Failure } from '../exchange/failure.ts';
import type { EarlyEnd, Results } from './results.ts';
import { renderSummary } from './summary.ts';

/** How many names of what was left out are listed for a phase. */
const MOST_NAMES = 5;

const renderLeftOut = ({ phase, subjects }: EarlyEnd['leftOut'][number]): string => {
  const more = subjects.length - MOST_NAMES;
  return `  ${phase}: ${subjects.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** Says what an early end has left out; empty if it is nothing. */
const renderEnd = ({ why, leftOut }: EarlyEnd): string =>
  leftOut.length === 0 ? '' : [`Left out, because ${why}:`, ...leftOut.map(renderLeftOut)].join('\n');

/** Every failure of a run in words, phase by phase. */
const describeFailures = ({ phases }: Results, tell: (failure: Failure) => string): string[] =>
  phases
    .flatMap(({ subjects }) => subjects)
    .flatMap(({ outcome, problem }) => [
      ...outcome.failures.map(tell),
      ...(problem === undefined ? [] : [problem]),
    ]);

/** A run as a text for people: a table, the failures, the notes, and what was left out. */
export const renderText = (
  results: Results,
  tell: (failure: Failure) => string,
  columns?: number,
): string => {
  const { phases, notes, end } = results;
  return [
    renderSummary(phases, columns),
    ...describeFailures(results, tell),
    notes.map((note) => `note  ${note}`).join('\n'),
    end ? renderEnd(end) : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
};
