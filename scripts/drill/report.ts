import { count, renderTable } from '@trellis/contract-tests/internal';

/** How a drill runs. */
export interface DrillOptions {
  /** The same seed makes the same choices. */
  readonly seed: number;
  /** How often each fault is repeated. */
  readonly rounds: number;
  /** How many hostile requests are sent. */
  readonly requests: number;
  /** Only the hostile conversation of this number. */
  readonly only?: string | undefined;
  /** Shows progress. */
  readonly report: (text: string) => void;
}

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
