import { count, renderTable } from '@trellis/contract-tests/internal';
import { TOKEN } from '../plant-store.ts';
import type { HostileResult } from './drill.ts';
import type { Finding, Row } from './flood.ts';

const change = (warm: number, end: number): string => {
  const growth = Math.round((end / warm - 1) * 100);
  return `${count(warm)} MiB warmed up, ${count(end)} MiB at the end (${growth < 0 ? '' : '+'}${growth} %)`;
};

const HEADER = ['what was sent', 'requests', 'served', 'refused', 'findings'];

const FIGURES = ['sent', 'served', 'refused', 'findings'] as const;

const renderFinding = ({ what, kind, conversation, sent, received, shrunk }: Finding): string =>
  [
    `✗ ${kind}: ${what}${conversation === undefined ? '' : ` (conversation ${conversation})`}`,
    ...(sent === undefined ? [] : [`  sent      ${sent}`, `  received  ${received}`]),
    ...(shrunk
      ? [`  shrunk    ${shrunk.sent}`, `  received  ${shrunk.received}`, `  again     ${shrunk.command}`]
      : []),
  ].join('\n');

const HOW_TO_SEND = `To send a shrunk request again, start the service with ACCESS_TOKENS=${TOKEN}, and paste the line "again".`;

/** Renders the result for people. */
export const renderHostile = (result: HostileResult): string => {
  const { seed, requests, connections, seconds, rows, canaries, memory, findings, found } = result;
  const total = (figure: keyof Row): number => [...rows.values()].reduce((sum, row) => sum + row[figure], 0);
  const table = [...rows]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([kind, row]) => [kind, ...FIGURES.map((figure) => count(row[figure]))]);
  return [
    `Hostile input, seed ${seed}: ${count(requests)} requests on ${count(connections)} connections in ${seconds.toFixed(1)} s (${count(requests / seconds)}/s)`,
    '',
    renderTable(HEADER, [...table, ['all of them', ...FIGURES.map((figure) => count(total(figure)))]]),
    '',
    `canaries   ${count(canaries.stored)} of ${count(canaries.sent)} are stored to the letter`,
    `heap       ${change(memory.warm.heap, memory.end.heap)}`,
    `memory     ${change(memory.warm.rss, memory.end.rss)}, ${count(memory.highestRss)} MiB at most`,
    `findings   ${found === 0 ? 'none' : count(found)}`,
    ...findings.map(renderFinding),
    ...(found > findings.length ? [`… and ${count(found - findings.length)} more`] : []),
    ...(findings.some(({ shrunk }) => shrunk) ? ['', HOW_TO_SEND] : []),
  ].join('\n');
};
