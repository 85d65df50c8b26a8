import { count, renderTable } from '@trellis/contract-tests/internal';
import type { Latency } from '../measure/latency.ts';
import type { CrowdResult } from './drill.ts';

const waits = ({ count: total, p50, p99, max }: Latency): string =>
  total === 0 ? '' : [p50, p99, max].map(count).join(' / ');

const HEADER = [
  'beside',
  'creates',
  'ms (p50 / p99 / most)',
  '/healthz',
  'ms (p50 / p99 / most)',
  'without a crowd: creates, ms',
  '/healthz, ms',
  'failed',
  'MiB (before / most / after)',
];

/** Renders the result for people. */
export const renderCrowd = ({ phases, crowd, findings }: CrowdResult): string => {
  const rows = phases.map(({ title, creates, health, idle, memory }) => [
    title,
    count(creates.answered),
    waits(creates),
    count(health.answered),
    waits(health),
    waits(idle.creates),
    waits(idle.health),
    count(creates.failures + health.failures),
    [memory.before, memory.max, memory.after].map(count).join(' / '),
  ]);
  return [
    'A good client beside others',
    '',
    renderTable(HEADER, rows),
    '',
    `the crowd of good clients: ${count(crowd.served.count)} served in ${waits(crowd.served)} ms, ${count(crowd.refused)} refused (503), ${count(crowd.unanswered)} unanswered, ${count(crowd.unconnected)} without a connection;`,
    `connections made in ${waits(crowd.connects)} ms, ${count(crowd.waiting.count)} still waiting at the end, for ${waits(crowd.waiting)} ms`,
    '',
    `findings   ${findings.length === 0 ? 'none' : count(findings.length)}`,
    ...findings.map((finding) => `✗ ${finding}`),
  ].join('\n');
};
