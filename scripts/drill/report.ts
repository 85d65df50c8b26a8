import { count, renderTable } from '@trellis/contract-tests/internal';

/** What a drill has to say: a table, some lines below it, and what should not have happened. */
export interface Report {
  readonly title: string;
  readonly columns: readonly string[];
  /** Numbers are rounded. */
  readonly rows: readonly (readonly (string | number)[])[];
  readonly notes: readonly string[];
  /** The drill passed if there are none. */
  readonly findings: readonly string[];
  /** How many findings there are, if not all of them are listed. */
  readonly found?: number;
}

/** Renders a report for people, in lines of 100 columns where its tables allow it. */
export const renderReport = ({ title, columns, rows, notes, findings, found }: Report): string => {
  const total = found ?? findings.length;
  return [
    title,
    '',
    renderTable(
      columns,
      rows.map((row) => row.map((cell) => (typeof cell === 'number' ? count(cell) : cell))),
    ),
    '',
    ...notes,
    `findings   ${total === 0 ? 'none' : count(total)}`,
    ...findings.map((finding) => `✗ ${finding}`),
    ...(total > findings.length ? [`… and ${count(total - findings.length)} more`] : []),
  ].join('\n');
};
