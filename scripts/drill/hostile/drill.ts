import { join } from 'node:path';
import { count } from '@trellis/contract-tests/internal';
import { findGrowth, readLevel, readRss, WITH_COLLECTOR } from '../../support/memory.ts';
import { querySqlite } from '../../support/query.ts';
import { type ServiceProcess, startProcess } from '../../support/service.ts';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { isAlive, usageOf } from '../../support/usage.ts';
import { TOKEN } from '../plant-store.ts';
import type { DrillOptions, Report } from '../report.ts';
import { findDamage, readPlants } from '../stored-plants.ts';
import { createFlood } from './flood.ts';

/** The level of warnings in pino. */
const WARNING = 40;

/** Checks that the service still runs, serves, and has logged neither warnings nor errors. */
export const findHarm = async ({
  pid,
  url,
  log,
}: Pick<ServiceProcess, 'pid' | 'url' | 'log'>): Promise<string[]> => {
  const statusOf = (path: string, init: RequestInit = {}): Promise<number | string> =>
    fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(20_000) }).then(
      ({ status }) => status,
      () => 'nothing',
    );
  const health = await statusOf('/healthz');
  const created = await statusOf('/plants', {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    body: '{"id":9200000000000000000,"name":"The last plant"}',
  });
  const warnings = log.filter(({ level }) => Number(level) >= WARNING);
  return [
    ...(isAlive(pid) ? [] : [`process ${pid} is gone`]),
    ...(health === 200 ? [] : [`/healthz answers ${health}`]),
    ...(created === 200 ? [] : [`a good create answers ${created}`]),
    ...(warnings.length === 0
      ? []
      : [`${warnings.length} complaints in the log: ${JSON.stringify(warnings[0])}`]),
  ];
};

/** After so many requests the code is compiled and the heap has its size: a tenth of a long drill, most of a short one. */
const warmUpOf = (requests: number): number =>
  Math.floor(Math.max(requests / 10, Math.min(requests * 0.6, 10_000)));

const change = (warm: number, end: number): string => {
  const growth = Math.round((end / warm - 1) * 100);
  return `${count(warm)} MiB warmed up, ${count(end)} MiB at the end (${growth < 0 ? '' : '+'}${growth} %)`;
};

const FIGURES = ['sent', 'served', 'refused', 'findings'] as const;

/** Floods the built service with hostile requests, and judges everything it does. */
export const runHostile = (
  { seed, requests, only, report }: DrillOptions,
  connections?: number,
): Promise<Report> =>
  inTemporaryFolder('plant-store-hostile', async (folder) => {
    const file = join(folder, 'plants.db');
    // Not in production, where the service does not check its own replies against the contract.
    const settings = { ACCESS_TOKENS: TOKEN, DATABASE_URL: `sqlite:${file}`, ...WITH_COLLECTOR };
    const service = await startProcess(folder, settings);
    const flood = createFlood({ port: Number(new URL(service.url).port), seed, connections });
    const { counts, rows, acknowledged } = flood;
    const started = performance.now();
    try {
      if (only === undefined) await flood.runUntil(warmUpOf(requests), report);
      const warm = await readLevel(service);
      if (only === undefined) await flood.runUntil(requests, report);
      else await flood.sendOnly(Number(only));
      const seconds = (performance.now() - started) / 1000;
      const most = usageOf(service.pid)?.peakMiB ?? (await readRss(service.pid));
      const memory = { warm, end: await readLevel(service) };

      for (const harm of [...(await findHarm(service)), ...findGrowth(memory)]) flood.add(`service: ${harm}`);
      const code = await service.end();
      if (code !== 0) flood.add(`service: it ended with ${code}`);
      const { lost, altered } = findDamage(acknowledged, await readPlants((sql) => querySqlite(file, sql)));
      if (lost + altered > 0) flood.add(`store: ${lost} plants are lost, ${altered} are altered`);

      const figures = [...rows].map(([kind, row]) => [kind, ...FIGURES.map((each) => row[each])] as const);
      const totals = FIGURES.map((each) => [...rows.values()].reduce((sum, row) => sum + row[each], 0));
      return {
        title: `Hostile input, seed ${seed}: ${count(counts.requests)} requests on ${count(counts.conversations)} connections in ${seconds.toFixed(1)} s (${count(counts.requests / seconds)}/s)`,
        columns: ['what was sent', 'requests', 'served', 'refused', 'findings'],
        rows: [...figures.sort(([one], [other]) => one.localeCompare(other)), ['all of them', ...totals]],
        notes: [
          `plants     ${count(acknowledged.size - lost - altered)} of ${count(acknowledged.size)} are stored to the letter`,
          `heap       ${change(memory.warm.heap, memory.end.heap)}`,
          `memory     ${change(memory.warm.rss, memory.end.rss)}, ${count(most)} MiB at most`,
        ],
        findings: flood.findings,
        found: counts.found,
      };
    } finally {
      await service.end('SIGKILL');
    }
  });
