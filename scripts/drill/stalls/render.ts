import { renderTable } from '../../support/table.ts';
import type { StallFinding, StallResult, StallRow } from './drill.ts';

const count = (value: number): string => value.toLocaleString('en');
const milliseconds = (value: number): string => count(Math.round(value));

const HEADER = [
  'what was sent',
  'cases',
  'slowest /healthz, ms',
  'idle beside it, ms',
  'slowest answer, ms',
  'most memory more, MiB',
  'findings',
];

const cellsOf = (row: StallRow): string[] => [
  row.title,
  count(row.cases) + (row.skipped > 0 ? ` (${count(row.skipped)} skipped)` : ''),
  milliseconds(row.slowestProbe),
  milliseconds(row.slowestIdle),
  milliseconds(row.slowestAnswer),
  milliseconds(row.memory),
  count(row.findings),
];

const renderFinding = ({ name, note, what }: StallFinding): string =>
  `✗ ${name}: ${what.join('; ')}\n  ${note}`;

/** Renders the result for people. */
export const renderStalls = ({ seed, rounds, seconds, rows, findings }: StallResult): string =>
  [
    `Stalls, seed ${seed}, ${rounds} rounds: ${seconds.toFixed(1)} s`,
    '',
    renderTable(HEADER, rows.map(cellsOf)),
    '',
    `findings   ${findings.length === 0 ? 'none' : count(findings.length)}`,
    ...findings.map(renderFinding),
    ...(findings.length === 0
      ? []
      : [`to reproduce one: npm run drill -- stalls --seed ${seed} --rounds ${rounds} --only "<its name>"`]),
  ].join('\n');
