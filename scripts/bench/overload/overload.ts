/** A crowd at a service that has little CPU, beside bare Express and bare node:http: how many clients get an answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, renderTable } from '@trellis/contract-tests/internal';
import { type CpuGroup, openCpuGroup } from '../../support/cpu-quota.ts';
import { builtFile } from '../build.ts';
import { spreadOf } from '../rounds.ts';
import { BUILD, type Entry, inFolder, startServer } from '../subjects.ts';
import { type Crowd, type CrowdResult, sendCrowd } from './crowd.ts';

/** Some 400 clients at a time, each of which leaves after 0.9 s. */
export const CROWD: Crowd = { connections: 4800, time: 10_000, stay: 900 };

/** The warm-up before a measured crowd, with all of the CPU. */
const WARM_UP: Crowd = { connections: 3000, time: 6000, stay: 900 };

/** How long a service has after that, in milliseconds. */
const REST = 1500;

/** As much CPU as there is. */
const ALL = 64;

/** A server, and the request that a crowd sends to it. */
export interface OverloadEntry extends Entry {
  /** A query makes `/healthz` a request like any other: it is no longer taken for a probe. */
  readonly path: '/healthz?crowd' | '/api/tags';
}

const path = '/healthz?crowd';

/** The servers. Conduit reads its tags from the store; the others answer with a constant. */
export const OVERLOAD_ENTRIES: readonly OverloadEntry[] = [
  { name: 'node', title: 'node:http', path, isPeer: true, file: builtFile('bare-node') },
  { name: 'express', title: 'Express', path, isPeer: true, file: builtFile('bare-express') },
  { name: 'plants', title: 'the plant store', path },
  { name: 'conduit', title: 'Conduit', path: '/api/tags' },
];

/** The entry for another build: a checkout of this repository, or a project of the example Conduit. */
export const otherBuild = (folder: string): OverloadEntry => {
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const isConduit = name === 'conduit';
  return {
    name: `before-${name}`,
    title: `${isConduit ? 'Conduit' : 'the plant store'}, the other build`,
    path: isConduit ? '/api/tags' : path,
    file: join(folder, BUILD),
  };
};

/** The results of a server for a crowd right after its start, and for another one once it was warm. */
export interface OverloadResult {
  readonly readySeconds: number;
  readonly cold: CrowdResult;
  readonly warm: CrowdResult;
}

const measure = async (
  entry: OverloadEntry,
  cpu: number,
  group: CpuGroup,
  crowd: Crowd,
  folder: string,
): Promise<OverloadResult> => {
  const started = performance.now();
  group.limit(cpu);
  const running = await startServer(
    entry,
    process.execPath,
    folder,
    `sqlite:${join(folder, 'store.db')}`,
    group.launch,
  );
  const readySeconds = (performance.now() - started) / 1000;
  const [target, probe] = [`${running.url}${entry.path}`, `${running.url}/healthz`];
  try {
    const cold = await sendCrowd(target, crowd, probe);
    group.limit(ALL);
    await sendCrowd(target, WARM_UP);
    group.limit(cpu);
    await sleep(REST);
    return { readySeconds, cold, warm: await sendCrowd(target, crowd, probe) };
  } finally {
    group.limit(ALL);
    await running.stop();
  }
};

/** Starts a server with a share of a core, and sends it a crowd while it is cold, and another one when it is warm. */
export const runOverload = (entry: OverloadEntry, cpu: number, crowd = CROWD): Promise<OverloadResult> =>
  inFolder(async (folder) => {
    const group = openCpuGroup();
    try {
      return await measure(entry, cpu, group, crowd, folder);
    } finally {
      await group.end();
    }
  });

/** The results of a server with a share of a core. */
export interface OverloadStanding {
  readonly title: string;
  readonly cpu: number;
  readonly results: readonly OverloadResult[];
}

/** Measures each server with each share of a core in every round, one after the other. */
export const runOverloads = async (
  entries: readonly OverloadEntry[],
  shares: readonly number[],
  rounds: number,
  report: (text: string) => void,
): Promise<OverloadStanding[]> => {
  const standings = shares.flatMap((cpu) =>
    entries.map((entry) => ({ entry, title: entry.title, cpu, results: [] as OverloadResult[] })),
  );
  for (let round = 1; round <= rounds; round += 1)
    for (const { entry, title, cpu, results } of standings) {
      const result = await runOverload(entry, cpu);
      results.push(result);
      report(
        `round ${round} of ${rounds}  ${title}, ${cpu} CPU: ${result.cold.answers}, ${result.warm.answers}`,
      );
    }
  return standings;
};

const COLUMNS =
  'CPU|server|ready, s|cold: answers|/healthz in time|slowest, s|warm: answers|/healthz in time|slowest, s';

const renderStanding = ({ title, cpu, results }: OverloadStanding): string[] => {
  const median = (of: (result: OverloadResult) => number): number => spreadOf(results.map(of))?.median ?? 0;
  const columnsOf = (state: 'cold' | 'warm'): string[] => [
    count(Math.round(median((result) => result[state].answers))),
    `${median((result) => result[state].probesInTime)} of ${results[0]?.[state].probes}`,
    (median((result) => result[state].slowestProbe) / 1000).toFixed(1),
  ];
  const ready = median(({ readySeconds }) => readySeconds).toFixed(1);
  return [`${Math.round(cpu * 100)} %`, title, ready, ...columnsOf('cold'), ...columnsOf('warm')];
};

/** The results as a table: medians over the rounds. */
export const renderOverload = (machine: string, standings: readonly OverloadStanding[]): string =>
  [
    machine,
    `${CROWD.connections} connections in ${CROWD.time / 1000} s, each sends one GET and leaves after ${CROWD.stay} ms`,
    renderTable(COLUMNS.split('|'), standings.map(renderStanding)),
  ].join('\n\n');
