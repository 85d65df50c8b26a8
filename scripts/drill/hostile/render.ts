import { renderTable } from '../../support/table.ts';
import { TOKEN } from '../plant-store.ts';
import type { HostileResult } from './drill.ts';
import type { Finding, Row } from './results.ts';

const count = (value: number): string => value.toLocaleString('en');
const mebibytes = (value: number): string => `${value.toFixed(0)} MiB`;

const change = (warm: number, end: number): string => {
  const growth = Math.round((end / warm - 1) * 100);
  return `${mebibytes(warm)} warmed up, ${mebibytes(end)} at the end (${growth < 0 ? '' : '+'}${growth} %)`;
};

const HEADER = ['what was sent', 'requests', 'served', 'refused', 'findings'];

const cellsOf = (name: string, { sent, served, refused, findings }: Row): string[] => [
  name,
  ...[sent, served, refused, findings].map(count),
];

const renderFinding = ({ what, kind, conversation, sent, received, shrunk }: Finding): string =>
  [
    `✗ ${kind}: ${what}${conversation === undefined ? '' : ` (conversation ${conversation})`}`,
    ...(sent === undefined ? [] : [`  sent      ${sent}`]),
    ...(received === undefined ? [] : [`  received  ${received}`]),
    ...(shrunk
      ? [`  shrunk    ${shrunk.sent}`, `  received  ${shrunk.received}`, `  again     ${shrunk.command}`]
      : []),
  ].join('\n');

const HOW_TO_SEND = `To send a shrunk request again, start the service with ACCESS_TOKENS=${TOKEN}, and paste the line "again".`;

/** Renders the result for people. */
export const renderHostile = (result: HostileResult): string => {
  const { seed, requests, connections, seconds, rows, canaries, memory, findings, found } = result;
  const total: Row = { sent: 0, served: 0, refused: 0, findings: 0 };
  for (const row of rows.values()) {
    total.sent += row.sent;
    total.served += row.served;
    total.refused += row.refused;
    total.findings += row.findings;
  }
  const table = [...rows].sort(([one], [other]) => one.localeCompare(other));
  return [
    `Hostile input, seed ${seed}: ${count(requests)} requests on ${count(connections)} connections in ${seconds.toFixed(1)} s (${count(Math.round(requests / seconds))}/s)`,
    '',
    renderTable(HEADER, [...table.map(([name, row]) => cellsOf(name, row)), cellsOf('all of them', total)]),
    '',
    `canaries   ${count(canaries.stored)} of ${count(canaries.sent)} are stored to the letter`,
    `heap       ${change(memory.warm.heap, memory.end.heap)}`,
    `memory     ${change(memory.warm.rss, memory.end.rss)}, ${mebibytes(memory.highestRss)} at most`,
    `findings   ${found === 0 ? 'none' : count(found)}`,
    ...findings.map(renderFinding),
    ...(found > findings.length ? [`… and ${count(found - findings.length)} more`] : []),
    ...(findings.some(({ shrunk }) => shrunk) ? ['', HOW_TO_SEND] : []),
  ].join('\n');
};
