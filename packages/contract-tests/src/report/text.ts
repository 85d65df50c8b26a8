import type { Failure } from '../exchange/failure.ts';
import { listNames } from '../tally.ts';
import type { EarlyEnd, Results } from './results.ts';
import { renderSummary } from './summary.ts';

/** Says what an early end has left out; empty if it is nothing. */
const renderEnd = ({ why, leftOut }: EarlyEnd): string =>
  leftOut.length === 0
    ? ''
    : [
        `Left out, because ${why}:`,
        ...leftOut.map(({ phase, subjects }) => `  ${phase}: ${listNames(subjects)}`),
      ].join('\n');

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
