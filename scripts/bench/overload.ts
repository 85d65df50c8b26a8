/** A crowd at a service that has little CPU, beside bare Express and bare node:http: how many clients get an answer. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildExample } from '../pack/example-project.ts';
import { openCpuGroup } from '../support/cpu-quota.ts';
import { builtFile } from './build.ts';
import { type CrowdOfVisitors, type CrowdResult, sendCrowd } from './crowd.ts';
import type { Bench } from './report.ts';
import type { Round } from './round.ts';
import { runRounds } from './rounds.ts';
import { BUILD, type Entry, inFolder, startServer } from './subjects.ts';

/** Some 400 clients at a time, each of which leaves after 0.9 s. */
const CROWD: CrowdOfVisitors = { connections: 4800, time: 10_000, stay: 900 };

/** The warm-up before a measured crowd, with all of the CPU. */
const WARM_UP: CrowdOfVisitors = { connections: 3000, time: 6000, stay: 900 };

/** How long a service has after that, in milliseconds. */
const REST = 1500;

/** As much CPU as there is. */
const ALL = 64;

/** The shares of a core that the servers get in turn. */
const SHARES = [0.1, 0.25, 1];

/** A query makes `/healthz` a request like any other: it is no longer taken for a probe. */
const CONSTANT = '/healthz?crowd';
/** Conduit reads its tags from the store; the others answer with a constant. */
const TAGS = '/api/tags';

/** A server, and the request that a crowd sends to it. */
interface OverloadEntry extends Entry {
  readonly path: string;
}

/** The servers. */
export const OVERLOAD_ENTRIES: readonly OverloadEntry[] = [
  { name: 'node', title: 'node:http', path: CONSTANT, isPeer: true, file: builtFile('bare-node') },
  { name: 'express', title: 'Express', path: CONSTANT, isPeer: true, file: builtFile('bare-express') },
  { name: 'plants', title: 'the plant store', path: CONSTANT },
  { name: 'conduit', title: 'Conduit', path: TAGS },
];

/** The entry for another build: a checkout of this repository, or a project of the example Conduit. */
const otherBuild = (folder: string): OverloadEntry => {
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const isConduit = name === 'conduit';
  const title = `${isConduit ? 'Conduit' : 'the plant store'}, the other build`;
  return { name: 'before', title, path: isConduit ? TAGS : CONSTANT, file: resolve(folder, BUILD) };
};

/** Starts a server with a share of a core, and sends it a crowd while it is cold, and another one when it is warm. */
export const runOverload = (entry: OverloadEntry, cpu: number, crowd = CROWD) =>
  inFolder(async (folder) => {
    const group = openCpuGroup();
    const started = performance.now();
    group.limit(cpu);
    try {
      const running = await startServer(entry, folder, `sqlite:${join(folder, 'store.db')}`, group.launch);
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
    } finally {
      await group.end();
    }
  });

const toMeasurements = (when: string, { answers, probesInTime, slowestProbe }: CrowdResult) => ({
  [`${when} answers`]: answers,
  [`${when} probes`]: probesInTime,
  [`${when} slowest`]: slowestProbe / 1000,
});

const measure = async (entry: OverloadEntry, cpu: number): Promise<Round> => {
  const { readySeconds, cold, warm } = await runOverload(entry, cpu);
  const crowds = { ...toMeasurements('cold', cold), ...toMeasurements('warm', warm) };
  return { measurements: { readySeconds, ...crowds }, wrong: [] };
};

/** Each chosen server with each share of a core. */
export const OVERLOAD: Bench = {
  names: [OVERLOAD_ENTRIES.map(({ name }) => name)],
  rounds: '1',
  generator: 'Node',
  columns: [
    ['ready, s', 'readySeconds', 1],
    ...['cold', 'warm'].flatMap((when): NonNullable<Bench['columns']>[number][] => [
      [`${when}: answers`, `${when} answers`, 0],
      ['/healthz in time, of 10', `${when} probes`, 1],
      ['slowest, s', `${when} slowest`, 1],
    ]),
  ],
  async run({ names, before, rounds, report }) {
    const chosen = OVERLOAD_ENTRIES.filter(({ name }) => names.includes(name));
    const file = names.includes('conduit') ? await buildExample('conduit', report) : '';
    const entries = [
      ...chosen.map((entry) => (entry.name === 'conduit' ? { ...entry, file } : entry)),
      ...before.map(otherBuild),
    ];
    const contenders = SHARES.flatMap((cpu) =>
      entries.map((entry) => ({
        name: entry.name,
        title: `${cpu * 100} %: ${entry.title}`,
        round: () => measure(entry, cpu),
      })),
    );
    return runRounds(contenders, { rounds, report });
  },
};
