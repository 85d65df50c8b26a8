import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '@trellis/contract-tests/internal';
import { readPeak, readRss, resetPeak } from '../../support/memory.ts';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { isDone, startChild } from '../measure/child.ts';
import { startGoodClients } from '../measure/good-clients.ts';
import { isLatency, type Latency, NOTHING } from '../measure/latency.ts';
import { startPlantStore, startSource } from '../plant-store.ts';
import type { Report } from '../report.ts';
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

/** The hostile crowds, one after the other. */
const CROWDS: readonly { readonly what: string; readonly kinds: readonly (keyof typeof SIZES)[] }[] = [
  { what: 'nobody', kinds: [] },
  { what: 'that never read', kinds: ['neverRead'] },
  { what: 'endless bodies', kinds: ['endless'] },
  { what: 'slow ones', kinds: ['slow'] },
  { what: 'all of these', kinds: ['neverRead', 'endless', 'slow'] },
  { what: 'that ask for 1 MB and never read', kinds: ['contract'] },
];

/** How the drill runs. */
export interface CrowdOptions {
  /** How long each crowd stays. */
  readonly seconds: number;
  readonly sizes?: Readonly<typeof SIZES>;
  readonly report: (text: string) => void;
}

const isReport = (value: unknown): value is CrowdReport =>
  typeof value === 'object' &&
  value !== null &&
  'served' in value &&
  isLatency(value.served) &&
  'refused' in value;

/** Runs a good client beside crowds of other clients, most of them hostile, and measures how it is served. */
export const runCrowdDrill = ({ seconds, sizes = SIZES, report }: CrowdOptions) =>
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
    const phases: Phase[] = [];

    /** Measures the good client beside a crowd, and at an idle service. The crowd is there while it is connected. */
    const measure = async <T>(
      title: string,
      { pid }: { readonly pid: number },
      maxWait: number,
      connect: () => Promise<unknown>,
      disconnect: () => Promise<T>,
    ): Promise<T> => {
      report(`beside ${title}`);
      const settle = () => sleep(Math.min(1500, seconds * 500)); // until the last crowd is gone
      await settle();
      const before = await readRss(pid);
      await resetPeak(pid);
      await good.mark();
      await connect();
      await sleep(seconds * 1000);
      const seen = await good.read();
      const max = await readPeak(pid);
      const told = await disconnect();
      await settle();
      phases.push({
        title,
        maxWait,
        creates: seen.creates ?? NOTHING,
        health: seen.health ?? NOTHING,
        idle: { creates: seen.idleCreates ?? NOTHING, health: seen.idleHealth ?? NOTHING },
        memory: { before, max, after: await readRss(pid) },
      });
      return told;
    };

    try {
      await good.start('idleCreates', 'creates', quiet.url);
      await good.start('idleHealth', 'health', quiet.url);
      await good.start('creates', 'creates', service.url);
      await good.start('health', 'health', service.url);
      for (const { what, kinds } of CROWDS) {
        const [kind, ...others] = kinds;
        const isLarge = kind === 'contract';
        const to = isLarge ? large : service;
        if (isLarge) {
          await good.stop('creates'); // the large contract has none
          await good.start('health', 'health', large.url);
        }
        const title = kind && others.length === 0 ? `${sizes[kind]} ${what}` : what;
        const connect = async () => {
          const { port } = new URL(to.url);
          for (const each of kinds) await enemies.ask(['open', each, sizes[each], port], isDone);
        };
        const disconnect = () => enemies.ask(['close'], isDone);
        await measure(title, to, isLarge ? MAX_HEALTH_WAIT : MAX_WAIT, connect, disconnect);
      }
      await good.start('health', 'health', service.url);
      const crowd = await measure(
        `${sizes.clients} good clients`,
        service,
        MAX_HEALTH_WAIT,
        () => clients.ask(['start', sizes.clients, new URL(service.url).port], isDone),
        () => clients.ask(['stop'], isReport),
      );
      const findings = phases.flatMap((phase) =>
        (phase === phases.at(-1) ? judgeCrowd(crowd, phase) : judgePhase(phase)).map(
          (flaw) => `${phase.title}: ${flaw}`,
        ),
      );
      return { phases, crowd, findings };
    } finally {
      await Promise.all([good, enemies, clients].map((child) => child.end()));
      await Promise.all(services.map((each) => each.end('SIGKILL')));
    }
  });

const waits = ({ count: total, p50, p99, max }: Latency): string =>
  total === 0 ? '' : [p50, p99, max].map(count).join(' / ');

const COLUMNS =
  'beside|creates|ms (p50 / p99 / most)|/healthz|ms (p50 / p99 / most)|without a crowd: creates, ms|/healthz, ms|failed|MiB (before / most / after)';

/** What was found, crowd by crowd. */
export const reportCrowd = ({
  phases,
  crowd,
  findings,
}: Awaited<ReturnType<typeof runCrowdDrill>>): Report => ({
  title: 'A good client beside others',
  columns: COLUMNS.split('|'),
  rows: phases.map(({ title, creates, health, idle, memory }) => [
    title,
    ...[creates.answered, waits(creates), health.answered, waits(health)],
    ...[waits(idle.creates), waits(idle.health), creates.failures + health.failures],
    [memory.before, memory.max, memory.after].map(count).join(' / '),
  ]),
  notes: [
    `the crowd of good clients: ${count(crowd.served.count)} served in ${waits(crowd.served)} ms,`,
    `${count(crowd.refused)} refused (503), ${count(crowd.unanswered)} unanswered, ${count(crowd.unconnected)} without a connection;`,
    `connections made in ${waits(crowd.connects)} ms;`,
    `${count(crowd.waiting.count)} still waiting at the end, for ${waits(crowd.waiting)} ms`,
  ],
  findings,
});
