import { countsOf, nameOf, type PhaseResult, type SubjectResult } from './results.ts';
import { count, renderTable } from './table.ts';

const TOTALS = ['requests', 'accepted', 'refused', 'failures'] as const;

const totalsOf = (results: readonly SubjectResult[]): string[] => {
  const counts = countsOf(results);
  return TOTALS.map((name) => count(counts[name]));
};

/** The requests of a phase, and its failures if it has any: `120`, `120 (2 failed)`. */
const cellOf = (results: readonly SubjectResult[]): string => {
  if (results.length === 0) return '';
  const { requests, failures } = countsOf(results);
  return failures === 0 ? count(requests) : `${count(requests)} (${count(failures)} failed)`;
};

/** The results by phase, for each name that a subject has. A path may be a subject of several phases. */
const byName = (phases: readonly PhaseResult[]): Map<string, SubjectResult[][]> => {
  const rows = new Map<string, SubjectResult[][]>();
  for (const [column, { subjects }] of phases.entries())
    for (const result of subjects) {
      const name = nameOf(result.subject);
      const row = rows.get(name) ?? phases.map(() => []);
      row[column]?.push(result);
      rows.set(name, row);
    }
  return rows;
};

/** A table of all operations with their totals and a column for each phase, for a screen of so many columns. */
export const renderSummary = (
  phases: readonly PhaseResult[],
  columns: number = Number.POSITIVE_INFINITY,
): string => {
  const rows = [...byName(phases)];
  if (rows.length > 1) rows.push(['all operations', phases.map(({ subjects }) => [...subjects])]);
  return renderTable(
    ['operation', ...TOTALS, ...phases.map(({ phase }) => phase.name)],
    rows.map(([name, row]) => [name, ...totalsOf(row.flat()), ...row.map(cellOf)]),
    columns,
  );
};
