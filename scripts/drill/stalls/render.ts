import { count, renderTable } from '@trellis/contract-tests/internal';
import type { StallResult } from './drill.ts';

const HEADER = [
  'what was sent',
  'cases',
  'slowest /healthz, ms',
  'idle beside it, ms',
  'slowest answer, ms',
  'most memory more, MiB',
  'findings',
];

/** Renders the result for people. */
export const renderStalls = ({ seed, rounds, seconds, rows, findings }: StallResult): string => {
  const cells = rows.map((row) => [
    row.title,
    count(row.cases) + (row.skipped > 0 ? ` (${count(row.skipped)} skipped)` : ''),
    ...[row.slowestProbe, row.slowestIdle, row.slowestAnswer, row.memory, row.findings].map(count),
  ]);
  return [
    `Stalls, seed ${seed}, ${rounds} rounds: ${seconds.toFixed(1)} s`,
    '',
    renderTable(HEADER, cells),
    '',
    `findings   ${findings.length === 0 ? 'none' : count(findings.length)}`,
    ...findings.map(({ name, note, what }) => `✗ ${name}: ${what.join('; ')}\n  ${note}`),
    ...(findings.length === 0
      ? []
      : [`to reproduce one: npm run drill -- stalls --seed ${seed} --rounds ${rounds} --only "<its name>"`]),
  ].join('\n');
};
