import { setTimeout as sleep } from 'node:timers/promises';
import { readPeak, readRss, resetPeak } from '../../support/memory.ts';
import type { ServiceProcess } from '../../support/service.ts';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { isDone, startChild } from '../measure/child.ts';
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
    const enemies = startChild(new URL('./hostile-clients.ts', import.meta.url));
    const clients = startChild(new URL('./closed-loop.ts', import.meta.url));
    const services = await Promise.all([
      startPlantStore(folder, 'plants.db'),
      startPlantStore(folder, 'idle.db'),
      startSource(folder, new URL('./server.ts', import.meta.url)),
    ]);
    const [service, quiet, large] = services;

    const hostile = (
      title: string,
      to: ServiceProcess,
      ...kinds: readonly (keyof typeof SIZES)[]
    ): Crowd => ({
      title,
      service: to,
      maxWait: to === large ? MAX_HEALTH_WAIT : MAX_WAIT,
      async connect() {
        for (const kind of kinds) await enemies.ask(['open', kind, sizes[kind], portOf(to)], isDone);
      },
      disconnect: () => enemies.ask(['close'], isDone),
    });
    let crowd: CrowdReport | undefined;
    const goodCrowd: Crowd = {
      title: `${sizes.clients} good clients`,
      service,
      maxWait: MAX_HEALTH_WAIT,
      connect: () => clients.ask(['start', sizes.clients, portOf(service)], isDone),
      async disconnect() {
        crowd = await clients.ask(['stop'], isReport);
      },
    };

    const phases: Phase[] = [];
    const run = async (...crowds: readonly Crowd[]): Promise<void> => {
      for (const each of crowds) {
        report(`beside ${each.title}`);
        phases.push(await measure(good, each, seconds));
      }
    };
    try {
      await good.start('idleCreates', 'creates', quiet.url);
      await good.start('idleHealth', 'health', quiet.url);
      await good.start('creates', 'creates', service.url);
      await good.start('health', 'health', service.url);
      await run(
        hostile('nobody', service),
        hostile(`${sizes.neverRead} that never read`, service, 'neverRead'),
        hostile(`${sizes.endless} endless bodies`, service, 'endless'),
        hostile(`${sizes.slow} slow ones`, service, 'slow'),
        hostile('all of these', service, 'neverRead', 'endless', 'slow'),
      );
      await good.stop('creates');
      await good.start('health', 'health', large.url);
      await run(hostile(`${sizes.contract} that ask for 1 MB and never read`, large, 'contract'));
      await good.start('health', 'health', service.url);
      await run(goodCrowd);

      const counted = crowd;
      if (!counted) throw new Error('the crowd was not counted');
      const findings = phases.flatMap((phase) => {
        const flaws = phase.title === goodCrowd.title ? judgeCrowd(counted, phase) : judgePhase(phase);
        return flaws.map((flaw) => `${phase.title}: ${flaw}`);
      });
      return { phases, crowd: counted, findings };
    } finally {
      await Promise.all([good, enemies, clients].map((child) => child.end()));
      await Promise.all(services.map((each) => each.end('SIGKILL')));
    }
  });
