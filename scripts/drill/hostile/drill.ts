import { join } from 'node:path';
import { count } from '@trellis/contract-tests/internal';
import { findGrowth, type Memory, readLevel, readPeak, WITH_COLLECTOR } from '../../support/memory.ts';
import { startProcess } from '../../support/service.ts';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { TOKEN } from '../plant-store.ts';
import type { Report } from '../report.ts';
import { createFlood, type Finding } from './flood.ts';
import { findAltered, findHarm } from './survival.ts';

/** How the drill runs. */
export interface HostileOptions {
  readonly requests: number;
  /** The same seed generates the same requests. */
  readonly seed: number;
  /** How many connections are open at a time. */
  readonly connections?: number;
  readonly report: (text: string) => void;
}

const DATABASE = 'plants.db';

/** After so many requests the code is compiled and the heap has its size: a tenth of a long drill, most of a short one. */
const warmUpOf = (requests: number): number =>
  Math.floor(Math.max(requests / 10, Math.min(requests * 0.6, 10_000)));

const drill = async (folder: string, options: HostileOptions) => {
  // Not in production, where the service does not check its own replies against the contract.
  const settings = { ACCESS_TOKENS: TOKEN, DATABASE_URL: `sqlite:${DATABASE}`, ...WITH_COLLECTOR };
  const service = await startProcess(folder, settings);
  const flood = createFlood({ ...options, port: Number(new URL(service.url).port) });
  const started = Date.now();
  try {
    await flood.runUntil(warmUpOf(options.requests));
    const warm = await readLevel(service);
    await flood.runUntil(options.requests);
    const seconds = (Date.now() - started) / 1000;
    const highestRss = await readPeak(service.pid);
    const memory: Memory = { warm, end: await readLevel(service), highestRss };

    const harm = [...(await findHarm(service)), ...findGrowth(memory)];
    const code = await service.end();
    if (code !== 0) harm.push(`it ended with ${code}`);
    for (const what of harm) await flood.add(what, 'service');
    const altered = findAltered(join(folder, DATABASE), flood.canaries);
    for (const { id } of altered) await flood.add(`plant ${id} is not stored as it was sent`, 'canary');
    return {
      seed: options.seed,
      requests: flood.requests(), // fewer than asked for after too many findings
      connections: flood.conversations(),
      seconds,
      rows: flood.rows,
      canaries: { sent: flood.canaries.length, stored: flood.canaries.length - altered.length },
      memory,
      findings: flood.findings, // the first ones, with what it takes to reproduce them
      found: flood.found(),
    };
  } finally {
    await service.end('SIGKILL');
  }
};

/** The result of a drill. It passed if nothing was found. */
export type HostileResult = Awaited<ReturnType<typeof drill>>;

/** Floods the built service with hostile requests, and judges everything it does. */
export const runHostileDrill = (options: HostileOptions): Promise<HostileResult> =>
  inTemporaryFolder('plant-store-hostile', (folder) => drill(folder, options));

const change = (warm: number, end: number): string => {
  const growth = Math.round((end / warm - 1) * 100);
  return `${count(warm)} MiB warmed up, ${count(end)} MiB at the end (${growth < 0 ? '' : '+'}${growth} %)`;
};

const describe = ({ what, kind, conversation, sent, received, shrunk }: Finding): string =>
  [
    `${kind}: ${what}${conversation === undefined ? '' : ` (conversation ${conversation})`}`,
    ...(sent === undefined ? [] : [`  sent      ${sent}`, `  received  ${received}`]),
    ...(shrunk
      ? [`  shrunk    ${shrunk.sent}`, `  received  ${shrunk.received}`, `  again     ${shrunk.command}`]
      : []),
  ].join('\n');

const HOW_TO_SEND = `To send a shrunk request again, start the service with ACCESS_TOKENS=${TOKEN}, and paste the line "again".`;
const FIGURES = ['sent', 'served', 'refused', 'findings'] as const;

/** What was found, kind by kind. */
export const reportHostile = (result: HostileResult): Report => {
  const { seed, requests, connections, seconds, rows, canaries, memory, findings, found } = result;
  const figures = [...rows].map(([kind, row]) => [kind, ...FIGURES.map((figure) => row[figure])] as const);
  const totals = FIGURES.map((figure) => [...rows.values()].reduce((sum, row) => sum + row[figure], 0));
  return {
    title: `Hostile input, seed ${seed}: ${count(requests)} requests on ${count(connections)} connections in ${seconds.toFixed(1)} s (${count(requests / seconds)}/s)`,
    columns: ['what was sent', 'requests', 'served', 'refused', 'findings'],
    rows: [...figures.sort(([one], [other]) => one.localeCompare(other)), ['all of them', ...totals]],
    notes: [
      `canaries   ${count(canaries.stored)} of ${count(canaries.sent)} are stored to the letter`,
      `heap       ${change(memory.warm.heap, memory.end.heap)}`,
      `memory     ${change(memory.warm.rss, memory.end.rss)}, ${count(memory.highestRss)} MiB at most`,
      ...(findings.some(({ shrunk }) => shrunk) ? [HOW_TO_SEND] : []),
    ],
    findings: findings.map(describe),
    found,
  };
};
