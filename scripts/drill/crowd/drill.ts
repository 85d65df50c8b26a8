import { setTimeout as sleep } from 'node:timers/promises';
import { readPeak, readRss, resetPeak } from '../../support/memory.ts';
import type { ServiceProcess } from '../../support/service.ts';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { type Child, isDone, startChild } from '../measure/child.ts';
import { type GoodClients, startGoodClients } from '../measure/good-clients.ts';
import { isLatency, NOTHING } from '../measure/latency.ts';
import { startPlantStore, startSource } from '../plant-store.ts';
import { type CrowdReport, judgeCrowd, judgePhase, MAX_HEALTH_WAIT, MAX_WAIT, type Phase } from './judge.ts';

/** The number of connections of each kind. */
const SIZES = {
  neverRead: 200,
  endless: 200,
  slow: 500,
  /** Connections that request a contract of a megabyte and never read it. */
  contract: 800,
  /** Good clients at the same time. */
  clients: 2000,
};

/** How the drill runs. */
export interface CrowdOptions {
  /** How long each crowd stays. */
  readonly seconds: number;
  readonly sizes?: Readonly<typeof SIZES>;
  readonly report: (text: string) => void;
}

/** The result of a drill. */
export interface CrowdResult {
  readonly phases: readonly Phase[];
  readonly crowd: CrowdReport;
  readonly findings: readonly string[];
}

/** Clients that connect to a service for a while. */
interface Crowd {
  readonly title: string;
  readonly service: ServiceProcess;
  readonly maxWait: number;
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
}

const portOf = ({ url }: ServiceProcess): string => new URL(url).port;

/** Hostile connections of some kinds, all from one process. */
const hostileCrowd = (
  child: Child,
  service: ServiceProcess,
  title: string,
  kinds: readonly (readonly [kind: string, count: number])[],
  maxWait = MAX_WAIT,
): Crowd => ({
  title,
  service,
  maxWait,
  async connect() {
    for (const [kind, count] of kinds) await child.ask(['open', kind, count, portOf(service)], isDone);
  },
  disconnect: () => child.ask(['close'], isDone),
});

const isReport = (value: unknown): value is CrowdReport =>
  typeof value === 'object' &&
  value !== null &&
  'served' in value &&
  isLatency(value.served) &&
  'refused' in value;

/** Measures how the good client is served beside a crowd, and how the same client is served at an idle service. */
const measure = async (
  good: GoodClients,
  { title, service, maxWait, connect, disconnect }: Crowd,
  seconds: number,
): Promise<Phase> => {
  const settle = () => sleep(Math.min(1500, seconds * 500)); // until the last crowd is gone
  await settle();
  const before = await readRss(service.pid);
  await resetPeak(service.pid);
  await good.mark();
  await connect();
  await sleep(seconds * 1000);
  const seen = await good.read();
  const max = await readPeak(service.pid);
  await disconnect();
  await settle();
  return {
    title,
    maxWait,
    creates: seen.creates ?? NOTHING,
    health: seen.health ?? NOTHING,
    idle: { creates: seen.idleCreates ?? NOTHING, health: seen.idleHealth ?? NOTHING },
    memory: { before, max, after: await readRss(service.pid) },
  };
};

/** Runs a good client beside crowds of other clients, most of them hostile, and measures how it is served. */
export const runCrowdDrill = ({ seconds, sizes = SIZES, report }: CrowdOptions): Promise<CrowdResult> =>
  inTemporaryFolder('plant-store-crowd', async (folder) => {
    const good = startGoodClients();
    const hostile = startChild(new URL('./hostile-clients.ts', import.meta.url));
    const clients = startChild(new URL('./closed-loop.ts', import.meta.url));
    const services = await Promise.all([
      startPlantStore(folder, 'plants.db'),
      startPlantStore(folder, 'idle.db'),
      startSource(folder, new URL('./server.ts', import.meta.url)),
    ]);
    const [service, quiet, large] = services;
    const run = (crowd: Crowd): Promise<Phase> => {
      report(`beside ${crowd.title}`);
      return measure(good, crowd, seconds);
    };
    const runHostile = (title: string, ...kinds: readonly (readonly [string, number])[]) =>
      run(hostileCrowd(hostile, service, title, kinds));
    const neverRead = ['never read', sizes.neverRead] as const;
    const endless = ['endless', sizes.endless] as const;
    const slow = ['slow', sizes.slow] as const;
    try {
      await good.start('idleCreates', 'creates', quiet.url);
      await good.start('idleHealth', 'health', quiet.url);
      await good.start('creates', 'creates', service.url);
      await good.start('health', 'health', service.url);
      const phases = [
        await runHostile('nobody'),
        await runHostile(`${sizes.neverRead} that never read`, neverRead),
        await runHostile(`${sizes.endless} endless bodies`, endless),
        await runHostile(`${sizes.slow} slow ones`, slow),
        await runHostile('all of these', neverRead, endless, slow),
      ];

      await good.stop('creates');
      await good.start('health', 'health', large.url);
      const kinds = [['ask for the contract', sizes.contract]] as const;
      const title = `${sizes.contract} that ask for 1 MB and never read`;
      phases.push(await run(hostileCrowd(hostile, large, title, kinds, MAX_HEALTH_WAIT)));

      await good.start('health', 'health', service.url);
      let crowd: CrowdReport | undefined;
      const last = await run({
        title: `${sizes.clients} good clients`,
        service,
        maxWait: MAX_HEALTH_WAIT,
        connect: () => clients.ask(['start', sizes.clients, portOf(service)], isDone),
        async disconnect() {
          crowd = await clients.ask(['stop'], isReport);
        },
      });
      if (!crowd) throw new Error('the crowd was not counted');
      const flaws = [...phases.map((phase) => ({ phase, found: judgePhase(phase) }))];
      flaws.push({ phase: last, found: judgeCrowd(crowd, last) });
      const findings = flaws.flatMap(({ phase, found }) => found.map((flaw) => `${phase.title}: ${flaw}`));
      return { phases: [...phases, last], crowd, findings };
    } finally {
      await Promise.all([good, hostile, clients].map((child) => child.end()));
      await Promise.all(services.map((each) => each.end('SIGKILL')));
    }
  });
