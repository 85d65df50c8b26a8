import { getOrInsert } from '@trellis/openapi/internal/json';
import type { Failure } from '../exchange/failure.ts';
import { listNames } from '../tally.ts';
import {
  countsOf,
  type EarlyEnd,
  nameOf,
  type PhaseResult,
  type Results,
  type SubjectResult,
  tellFailures,
} from './results.ts';

/** Formats a number, rounded, with thousands separators. */
export const count = (value: number): string => Math.round(value).toLocaleString('en');

/** A Markdown table that is also readable as plain text: the first column is left-aligned, the others right-aligned. */
export const renderTable = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
};

const TOTALS = ['requests', 'accepted', 'refused', 'failures'] as const;

const renderSummary = (phases: readonly PhaseResult[]): string => {
  const results = phases.flatMap(({ subjects }) => subjects);
  const rows = new Map<string, SubjectResult[]>();
  for (const result of results) getOrInsert(rows, nameOf(result.subject), () => []).push(result);
  if (rows.size > 1) rows.set('all operations', results);
  return renderTable(
    ['operation', ...TOTALS],
    [...rows].map(([name, row]) => {
      const counts = countsOf(row);
      return [name, ...TOTALS.map((total) => count(counts[total]))];
    }),
  );
};

const renderEnd = ({ why, leftOut }: EarlyEnd): string =>
  leftOut.length === 0
    ? ''
    : [
        `Left out, because ${why}:`,
        ...leftOut.map(({ phase, subjects }) => `  ${phase}: ${listNames(subjects)}`),
      ].join('\n');

/** Describes the failures of a phase, below its name and promise. */
const describeFailures = ({ phase, subjects }: PhaseResult, tell: (failure: Failure) => string): string[] => {
  const told = subjects.flatMap((result) => tellFailures(result, tell));
  return told.length === 0 ? [] : [`Phase ${phase.name}: ${phase.promise}`, ...told];
};

/** Renders a run as text: a table, the failures, the notes, and the left-out subjects. */
export const renderText = (results: Results, tell: (failure: Failure) => string): string => {
  const { phases, notes, end } = results;
  return [
    renderSummary(phases),
    ...phases.flatMap((phase) => describeFailures(phase, tell)),
    notes.map((note) => `note  ${note}`).join('\n'),
    end ? renderEnd(end) : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
};
