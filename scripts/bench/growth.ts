import { join } from 'node:path';
import { renderTable } from '../support/table.ts';
import type { Load } from './load/generators.ts';
import type { LoadOptions } from './load/plan.ts';
import type { Group } from './report/chart.ts';
import type { Outcome } from './report/outcome.ts';
import { renderStandings } from './report/table.ts';
import { ratioOf, type Target } from './report/targets.ts';
import type { Spread } from './rounds/measure.ts';
import { runRound } from './rounds/round.ts';
import { type Contender, runRounds, type Standing } from './rounds/rounds.ts';
import { fillStore } from './subjects/fill.ts';
import { inFolder, OURS, sqliteSubject } from './subjects/servers.ts';
import { type Memory, measureMemory, measureStartUp, type StartUp } from './subjects/startup.ts';

/** How far stores, connections and memory grow. */
export interface GrowthOptions {
  readonly node: string;
  readonly load: Load;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** How many plants the largest store has. */
  readonly plants: number;
  /** How many creates before memory is measured. */
  readonly creates: number;
  readonly report: (text: string) => void;
}

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

const count = (value: number): string => value.toLocaleString('en');

const sizeOf = (bytes: number): string => (bytes < 1024 ? `${bytes} B` : `${bytes / 1024} KiB`);

const titleOf = (plants: number): string => (plants === 0 ? 'no plants' : `${count(plants)} plants`);

/** A contender with a new store in every round. */
const emptyContender = (
  name: string,
  title: string,
  { node, load }: GrowthOptions,
  options: LoadOptions,
): Contender => ({
  name,
  title,
  round: () => inFolder((folder) => runRound(sqliteSubject(node, OURS, folder), load, options)),
});

/** A contender with a filled store that all rounds share and add to. */
const storeContender = (folder: string, plants: number, options: GrowthOptions): Contender => {
  const name = `plants-${plants}`;
  if (plants === 0) return emptyContender(name, titleOf(plants), options, options);
  const subject = sqliteSubject(options.node, OURS, join(folder, `${plants}`));
  return { name, title: titleOf(plants), round: () => runRound(subject, options.load, options) };
};

const measureGrowth = (options: GrowthOptions): Promise<Growth> =>
  inFolder(async (folder) => {
    const { node, load, rounds, seconds, connections, report } = options;
    const sizes = PLANTS.filter((plants) => plants <= options.plants);
    for (const plants of sizes) if (plants > 0) await fillStore(join(folder, `${plants}`), plants, report);
    const measure = (contenders: readonly Contender[]) => runRounds(contenders, rounds, report);
    return {
      stores: await measure(sizes.map((plants) => storeContender(folder, plants, options))),
      connections: await measure(
        CONNECTIONS.map((many) =>
          emptyContender(`connections-${many}`, `${count(many)} connections`, options, {
            seconds,
            connections: many,
          }),
        ),
      ),
      bodies: await measure(
        BODIES.map((bytes) =>
          emptyContender(`bytes-${bytes}`, `bodies of ${sizeOf(bytes)}`, options, {
            seconds,
            connections,
            bytes,
          }),
        ),
      ),
      startUp: await measureStartUp(node, STARTS),
      memory: await measureMemory(node, load, { connections, seconds: 10 }, options.creates, report),
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

const groupsOf = ({ stores, connections, bodies }: Growth): Group[] => {
  const toGroup = (title: string, standings: readonly Standing[]): Group => ({
    title,
    bars: standings.flatMap(({ title: label, measurements: { rate } }) =>
      rate ? [{ label, value: rate, isOurs: true }] : [],
    ),
  });
  return [
    toGroup('as the store grows', stores),
    toGroup('as connections grow', connections),
    toGroup('as bodies grow', bodies),
  ];
};

/** Measures the service as stores, connections and bodies grow, then its start-up time and its memory. */
export const runGrowth = async (options: GrowthOptions): Promise<Outcome> => {
  const growth = await measureGrowth(options);
  return {
    title: 'Durable creates per second, as things grow',
    text: renderGrowth(growth),
    standings: [...growth.stores, ...growth.connections, ...growth.bodies],
    targets: targetsOf(growth),
    groups: groupsOf(growth),
    measured: growth,
  };
};
