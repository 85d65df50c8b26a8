import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readRss } from '../../support/memory.ts';
import { type ServiceProcess, startProcess } from '../../support/service.ts';
import { type Child, isDone, startChild, TSX } from '../measure/child.ts';
import { isFigures } from '../measure/figures.ts';
import { forgetPeak, readPeak } from '../measure/memory.ts';
import {
  type CrowdFigures,
  judgeCrowd,
  judgePhase,
  MOST_HEALTH_WAIT,
  MOST_WAIT,
  type Phase,
  type Seen,
} from './judge.ts';

const TOKEN = 'a-token-for-the-drill';

/** How many connections of each kind there are. */
export interface Sizes {
  readonly neverRead: number;
  readonly endless: number;
  readonly slow: number;
  /** Those that ask for a contract of a megabyte and never read it. */
  readonly contract: number;
  /** Good clients at once. */
  readonly clients: number;
}

const SIZES: Sizes = { neverRead: 200, endless: 200, slow: 500, contract: 800, clients: 2000 };

/** How a drill is run. */
export interface CrowdOptions {
  /** How long each crowd stays, in seconds. */
  readonly seconds: number;
  readonly sizes?: Sizes;
  readonly report: (text: string) => void;
}

/** What a drill has shown. */
export interface CrowdResult {
  readonly phases: readonly Phase[];
  readonly crowd: CrowdFigures;
  readonly findings: readonly string[];
}

const isSeen = (value: unknown): value is Seen =>
  isFigures(value) && 'failures' in value && 'statuses' in value;

const isReport = (value: unknown): value is Pick<Phase, 'creates' | 'health'> =>
  typeof value === 'object' &&
  value !== null &&
  'creates' in value &&
  'health' in value &&
  isSeen(value.creates) &&
  isSeen(value.health);

const isCrowd = (value: unknown): value is CrowdFigures =>
  typeof value === 'object' &&
  value !== null &&
  'served' in value &&
  isFigures(value.served) &&
  'refused' in value;

/** How long it takes until a crowd has gone, or a client has begun, in milliseconds. */
const settleTime = (seconds: number): number => Math.min(1500, seconds * 500);

/** What of a crowd comes and goes. */
interface Guests {
  come(): Promise<unknown>;
  go(): Promise<unknown>;
}

const startGoodClient = async (service: ServiceProcess, creates = true): Promise<Child> => {
  const client = startChild(new URL('./good-client.ts', import.meta.url));
  await client.ask(['start', service.url, ...(creates ? [TOKEN] : [])], isDone);
  return client;
};

/** Where a good client is, and where the same client is that has the service to itself. */
interface Place {
  readonly service: ServiceProcess;
  readonly client: Child;
  readonly idle: Child;
}

const watch = async (
  { service, client, idle }: Place,
  { title, guests, mostWait = MOST_WAIT }: { title: string; guests: Guests; mostWait?: number },
  seconds: number,
): Promise<Phase> => {
  await sleep(settleTime(seconds));
  const before = await readRss(service.pid);
  await forgetPeak(service.pid);
  await Promise.all([client.ask(['mark'], isDone), idle.ask(['mark'], isDone)]);
  await guests.come();
  await sleep(seconds * 1000);
  const [seen, control] = await Promise.all([client.ask(['read'], isReport), idle.ask(['read'], isReport)]);
  const most = await readPeak(service.pid);
  await guests.go();
  await sleep(settleTime(seconds));
  return {
    title,
    mostWait,
    ...seen,
    idle: control,
    memory: { before, most, after: await readRss(service.pid) },
  };
};

const NOBODY: Guests = { come: async () => {}, go: async () => {} };

/** Makes hostile connections of some kinds, all from one process. */
const hostileGuests =
  (child: Child) =>
  (url: string, kinds: readonly (readonly [kind: string, count: number])[]): Guests => ({
    async come() {
      for (const [kind, count] of kinds)
        await child.ask(['open', kind, count, new URL(url).port, TOKEN], isDone);
    },
    go: () => child.ask(['close'], isDone),
  });

/** What every part of the drill needs. */
interface Stage {
  /** A good client that has a service to itself. */
  readonly idle: Child;
  readonly hostile: ReturnType<typeof hostileGuests>;
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
  const place = { service, client, idle };
  try {
    report('the good client alone');
    const phases = [await watch(place, { title: 'nobody', guests: NOBODY }, seconds)];
    for (const [title, kinds] of crowds) {
      report(`beside ${title}`);
      phases.push(await watch(place, { title, guests: hostile(service.url, kinds) }, seconds));
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
    guests: hostile(service.url, [['ask for the contract', count]]),
    mostWait: MOST_HEALTH_WAIT,
  };
  try {
    return await watch({ service, client, idle }, crowd, seconds);
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
  let crowd: CrowdFigures | undefined;
  const guests: Guests = {
    come: () => clients.ask(['start', count, new URL(service.url).port, TOKEN], isDone),
    async go() {
      crowd = await clients.ask(['stop'], isCrowd);
      await clients.end();
    },
  };
  try {
    const title = `${count} good clients`;
    const phase = await watch(
      { service, client, idle },
      { title, guests, mostWait: MOST_HEALTH_WAIT },
      seconds,
    );
    if (!crowd) throw new Error('the crowd has not been counted');
    return { phase, crowd };
  } finally {
    await clients.end();
    await client.end();
  }
};

const startPlants = (folder: string, name: string): Promise<ServiceProcess> =>
  startProcess(folder, { ACCESS_TOKENS: TOKEN, DATABASE_URL: `sqlite:${name}.db`, NODE_ENV: 'production' });

const drill = async (folder: string, options: CrowdOptions): Promise<CrowdResult> => {
  const { sizes = SIZES } = options;
  const child = startChild(new URL('./hostile-clients.ts', import.meta.url));
  const [service, quiet] = await Promise.all([startPlants(folder, 'plants'), startPlants(folder, 'idle')]);
  const idle = await startGoodClient(quiet);
  const stage = { idle, hostile: hostileGuests(child) };
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

/** Puts a good client beside crowds of others, most of which mean harm, and measures how it is served. */
export const runCrowdDrill = async (options: CrowdOptions): Promise<CrowdResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-crowd-'));
  try {
    return await drill(folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
