import { join } from 'node:path';
import { count, renderTable } from '@trellis/contract-tests/internal';
import type { BenchOptions } from './options.ts';
import { toGroup } from './report/chart.ts';
import type { Outcome } from './report/outcome.ts';
import { renderStandings } from './report/table.ts';
import { ratioOf, type Target } from './report/targets.ts';
import { runRound } from './rounds/round.ts';
import { type Contender, runRounds, type Standing } from './rounds/rounds.ts';
import type { Spread } from './rounds/spread.ts';
import { onEmptyStore } from './subjects/contenders.ts';
import { fillStore } from './subjects/fill.ts';
import { inFolder, sqliteSubject } from './subjects/servers.ts';
import { type Memory, measureMemory, measureStartUp, type StartUp } from './subjects/startup.ts';

/** The results, by what grows. */
interface Growth {
  readonly stores: readonly Standing[];
  readonly connections: readonly Standing[];
  readonly bodies: readonly Standing[];
  readonly startUp: StartUp;
  readonly memory: Memory;
}

const PLANTS = [0, 1_000_000, 10_000_000];
const CONNECTIONS = [1, 16, 64, 256, 1024];
const BODIES = [100, 10 * 1024, 90 * 1024];
const STARTS = 9;

const sizeOf = (bytes: number): string => (bytes < 1024 ? `${bytes} B` : `${bytes / 1024} KiB`);

/** A contender with a filled store that all rounds share and add to, or with an empty one in every round. */
const storeContender = (folder: string, plants: number, options: BenchOptions): Contender => {
  const { node, load } = options;
  const name = `plants-${plants}`;
  if (plants === 0) return onEmptyStore({ name, title: 'no plants' }, { node }, load, options);
  const subject = sqliteSubject({ node }, join(folder, `${plants}`));
  return { name, title: `${count(plants)} plants`, round: () => runRound(subject, load, options) };
};

const measureGrowth = (options: BenchOptions): Promise<Growth> =>
  inFolder(async (folder) => {
    const { node, load, rounds, seconds, connections, report } = options;
    const sizes = PLANTS.filter((plants) => plants <= options.plants);
    for (const plants of sizes) if (plants > 0) await fillStore(join(folder, `${plants}`), plants, report);
    const measure = (contenders: readonly Contender[]) => runRounds(contenders, rounds, report);
    return {
      stores: await measure(sizes.map((plants) => storeContender(folder, plants, options))),
      connections: await measure(
        CONNECTIONS.map((many) => {
          const entry = { name: `connections-${many}`, title: `${count(many)} connections` };
          return onEmptyStore(entry, { node }, load, { seconds, connections: many });
        }),
      ),
      bodies: await measure(
        BODIES.map((bytes) => {
          const entry = { name: `bytes-${bytes}`, title: `bodies of ${sizeOf(bytes)}` };
          return onEmptyStore(entry, { node }, load, { seconds, connections, bytes });
        }),
      ),
      startUp: await measureStartUp({ node }, STARTS),
      memory: await measureMemory(options),
    };
  });

const targetsOf = ({ stores, connections, startUp, memory }: Growth): Target[] => [
  { what: '1,000,000 plants / none, creates/s', measured: ratioOf(stores, ['plants-1000000', 'plants-0']) },
  {
    what: '10,000,000 plants / none, creates/s',
    measured: ratioOf(stores, ['plants-10000000', 'plants-0']),
    atLeast: 0.8,
  },
  {
    what: '1,024 connections / 64, creates/s',
    measured: ratioOf(connections, ['connections-1024', 'connections-64']),
    atLeast: 0.8,
  },
  {
    what: 'start until /healthz answers / node -e 0',
    measured: startUp.ready && startUp.nothing && startUp.ready.median / startUp.nothing.median,
    atMost: 7,
  },
  {
    what: `resident MiB after ${count(memory.creates)} creates`,
    measured: memory.residentMiB,
    atMost: 120,
  },
];

const writeSpread = (spread: Spread | undefined, unit: string): string =>
  spread ? `${spread.median.toFixed(0)} ${unit} (${spread.least.toFixed(0)}–${spread.most.toFixed(0)})` : '–';

const renderGrowth = ({ stores, connections, bodies, startUp, memory }: Growth): string =>
  [
    renderStandings('as the store grows', stores),
    renderStandings('as connections grow', connections),
    renderStandings('as bodies grow', bodies),
    renderTable(
      ['start-up and memory', ''],
      [
        ['node -e 0', writeSpread(startUp.nothing, 'ms')],
        ['start until /healthz answers', writeSpread(startUp.ready, 'ms')],
        ['resident at rest', writeSpread(startUp.restingMiB, 'MiB')],
        [`resident after ${count(memory.creates)} creates`, `${memory.residentMiB.toFixed(0)} MiB`],
        ['peak resident', `${memory.peakMiB.toFixed(0)} MiB`],
      ],
    ),
  ].join('\n\n');

/** Measures the service as stores, connections and bodies grow, then its start-up time and its memory. */
export const runGrowth = async (options: BenchOptions): Promise<Outcome> => {
  const growth = await measureGrowth(options);
  const { stores, connections, bodies } = growth;
  return {
    title: 'Durable creates per second, as things grow',
    text: renderGrowth(growth),
    standings: [...stores, ...connections, ...bodies],
    targets: targetsOf(growth),
    groups: [
      toGroup('as the store grows', stores),
      toGroup('as connections grow', connections),
      toGroup('as bodies grow', bodies),
    ],
    measured: growth,
  };
};
