import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readRss } from '../../support/memory.ts';
import { type ServiceProcess, startProcess } from '../../support/service.ts';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { type Child, isDone, startChild, TSX } from '../measure/child.ts';
import { isLatency } from '../measure/latency.ts';
import { readPeak, resetPeak } from '../measure/peak-memory.ts';
import { startPlantStore, TOKEN } from '../plant-store.ts';
import {
  type CrowdReport,
  judgeCrowd,
  judgePhase,
  MAX_HEALTH_WAIT,
  MAX_WAIT,
  type Phase,
  type Seen,
} from './judge.ts';

/** The number of connections of each kind. */
export interface Sizes {
  readonly neverRead: number;
  readonly endless: number;
  readonly slow: number;
  /** Connections that request a contract of a megabyte and never read it. */
  readonly contract: number;
  /** Good clients at the same time. */
  readonly clients: number;
}

const SIZES: Sizes = { neverRead: 200, endless: 200, slow: 500, contract: 800, clients: 2000 };

/** How the drill runs. */
export interface CrowdOptions {
  /** How long each crowd stays. */
  readonly seconds: number;
  readonly sizes?: Sizes;
  readonly report: (text: string) => void;
}

/** The result of a drill. */
export interface CrowdResult {
  readonly phases: readonly Phase[];
  readonly crowd: CrowdReport;
  readonly findings: readonly string[];
}

const isSeen = (value: unknown): value is Seen =>
  isLatency(value) && 'failures' in value && 'statuses' in value;

const isReport = (value: unknown): value is Pick<Phase, 'creates' | 'health'> =>
  typeof value === 'object' &&
  value !== null &&
  'creates' in value &&
  'health' in value &&
  isSeen(value.creates) &&
  isSeen(value.health);

const isCrowd = (value: unknown): value is CrowdReport =>
  typeof value === 'object' &&
  value !== null &&
  'served' in value &&
  isLatency(value.served) &&
  'refused' in value;

/** How long to wait until a crowd is gone, in milliseconds. */
const settleTime = (seconds: number): number => Math.min(1500, seconds * 500);

/** Clients that connect for a while. */
interface Crowd {
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
}

const startGoodClient = async (service: ServiceProcess, creates = true): Promise<Child> => {
  const client = startChild(new URL('./good-client.ts', import.meta.url));
  await client.ask(['start', service.url, ...(creates ? [TOKEN] : [])], isDone);
  return client;
};

/** A service with a good client, and the same client at an idle service. */
interface Measured {
  readonly service: ServiceProcess;
  readonly client: Child;
  readonly idle: Child;
}

const measure = async (
  { service, client, idle }: Measured,
  { title, crowd, maxWait = MAX_WAIT }: { title: string; crowd: Crowd; maxWait?: number },
  seconds: number,
): Promise<Phase> => {
  await sleep(settleTime(seconds));
  const before = await readRss(service.pid);
  await resetPeak(service.pid);
  await Promise.all([client.ask(['mark'], isDone), idle.ask(['mark'], isDone)]);
  await crowd.connect();
  await sleep(seconds * 1000);
  const [seen, control] = await Promise.all([client.ask(['read'], isReport), idle.ask(['read'], isReport)]);
  const max = await readPeak(service.pid);
  await crowd.disconnect();
  await sleep(settleTime(seconds));
  return {
    title,
    maxWait,
    ...seen,
    idle: control,
    memory: { before, max, after: await readRss(service.pid) },
  };
};

const NOBODY: Crowd = { connect: async () => {}, disconnect: async () => {} };

/** Opens hostile connections of some kinds, all from one process. */
const hostileCrowd =
  (child: Child) =>
  (url: string, kinds: readonly (readonly [kind: string, count: number])[]): Crowd => ({
    async connect() {
      for (const [kind, count] of kinds)
        await child.ask(['open', kind, count, new URL(url).port, TOKEN], isDone);
    },
    disconnect: () => child.ask(['close'], isDone),
  });

/** What all parts of the drill share. */
interface Stage {
  /** A good client that has a service to itself. */
  readonly idle: Child;
  readonly hostile: ReturnType<typeof hostileCrowd>;
}

const besideHostile = async (
  service: ServiceProcess,
  { idle, hostile }: Stage,
  { seconds, report }: CrowdOptions,
  sizes: Sizes,
) => {
  const [neverRead, endless, slow] = [
    ['never read', sizes.neverRead],
    ['endless', sizes.endless],
    ['slow', sizes.slow],
  ] as const;
  const crowds = [
    [`${neverRead[1]} that never read`, [neverRead]],
    [`${endless[1]} endless bodies`, [endless]],
    [`${slow[1]} slow ones`, [slow]],
    ['all of these', [neverRead, endless, slow]],
  ] as const;
  const client = await startGoodClient(service);
  const measured = { service, client, idle };
  try {
    report('the good client alone');
    const phases = [await measure(measured, { title: 'nobody', crowd: NOBODY }, seconds)];
    for (const [title, kinds] of crowds) {
      report(`beside ${title}`);
      phases.push(await measure(measured, { title, crowd: hostile(service.url, kinds) }, seconds));
    }
    return phases;
  } finally {
    await client.end();
  }
};

const besideReaders = async (
  folder: string,
  { idle, hostile }: Stage,
  { seconds, report }: CrowdOptions,
  count: number,
) => {
  report('beside those who ask for a large contract');
  const program = fileURLToPath(new URL('./server.ts', import.meta.url));
  const service = await startProcess(folder, { NODE_OPTIONS: `--import=${TSX}` }, program);
  const client = await startGoodClient(service, false);
  const crowd = {
    title: `${count} that ask for 1 MB and never read`,
    crowd: hostile(service.url, [['ask for the contract', count]]),
    maxWait: MAX_HEALTH_WAIT,
  };
  try {
    return await measure({ service, client, idle }, crowd, seconds);
  } finally {
    await client.end();
    await service.end('SIGKILL');
  }
};

const amongClients = async (
  service: ServiceProcess,
  { idle }: Stage,
  { seconds, report }: CrowdOptions,
  count: number,
) => {
  report('a crowd of good clients');
  const clients = startChild(new URL('./closed-loop.ts', import.meta.url));
  const client = await startGoodClient(service, false);
  let counted: CrowdReport | undefined;
  const crowd: Crowd = {
    connect: () => clients.ask(['start', count, new URL(service.url).port, TOKEN], isDone),
    async disconnect() {
      counted = await clients.ask(['stop'], isCrowd);
      await clients.end();
    },
  };
  try {
    const title = `${count} good clients`;
    const phase = await measure(
      { service, client, idle },
      { title, crowd, maxWait: MAX_HEALTH_WAIT },
      seconds,
    );
    if (!counted) throw new Error('the crowd was not counted');
    return { phase, crowd: counted };
  } finally {
    await clients.end();
    await client.end();
  }
};

const drill = async (folder: string, options: CrowdOptions): Promise<CrowdResult> => {
  const { sizes = SIZES } = options;
  const child = startChild(new URL('./hostile-clients.ts', import.meta.url));
  const [service, quiet] = await Promise.all([
    startPlantStore(folder, 'plants.db'),
    startPlantStore(folder, 'idle.db'),
  ]);
  const idle = await startGoodClient(quiet);
  const stage = { idle, hostile: hostileCrowd(child) };
  try {
    const hostile = await besideHostile(service, stage, options, sizes);
    const readers = await besideReaders(folder, stage, options, sizes.contract);
    const { phase, crowd } = await amongClients(service, stage, options, sizes.clients);
    const phases = [...hostile, readers, phase];
    const findings = phases.flatMap((each) =>
      (each === phase ? judgeCrowd(crowd, each) : judgePhase(each)).map((flaw) => `${each.title}: ${flaw}`),
    );
    return { phases, crowd, findings };
  } finally {
    await Promise.all([idle.end(), child.end()]);
    await Promise.all([service.end('SIGKILL'), quiet.end('SIGKILL')]);
  }
};

/** Runs a good client beside crowds of other clients, most of them hostile, and measures how it is served. */
export const runCrowdDrill = (options: CrowdOptions): Promise<CrowdResult> =>
  inTemporaryFolder('plant-store-crowd', (folder) => drill(folder, options));
