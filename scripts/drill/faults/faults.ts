import { setTimeout as sleep } from 'node:timers/promises';
import { openCpuGroup, whyNoQuota } from '../../support/cpu-quota.ts';
import type { ServiceProcess } from '../../support/service.ts';
import { whyNoSmallDisk } from '../../support/small-disk.ts';
import { childrenOf } from '../../support/usage.ts';
import { PLANTS } from '../subjects/plants.ts';
import type { Subject } from '../subjects/subject.ts';
import { WAREHOUSE } from '../subjects/warehouse.ts';
import { CHAOS } from './chaos.ts';
import { CLUSTER } from './cluster.ts';
import { CROWDS } from './crowds.ts';
import { openReplicated, whyNoReplica } from './replication.ts';
import { type Fault, type Fleet, openOnSmallDisk, openPostgres, openSqlite, sceneOn } from './scene.ts';

/** Kills the service that has run longest, and starts another one. */
const killOldest = (fleet: Fleet) => ({ strike: () => fleet.endOldest(), mend: fleet.add });

/** How long a process is paused before and after SIGTERM, in milliseconds. */
const PAUSE = 150;

/**
 * Stops a service that is paused around the signal, as on a machine with too much to do. Meanwhile the system accepts
 * requests and connections for it, and the service has to answer all of them before it exits.
 */
const stopWhilePaused = async ({ pid, end }: ServiceProcess): Promise<number | null> => {
  process.kill(pid, 'SIGSTOP');
  await sleep(PAUSE);
  const ended = end('SIGTERM');
  await sleep(PAUSE);
  process.kill(pid, 'SIGCONT');
  return ended;
};

/** The share of a core that a service gets, and for how long before SIGTERM, in milliseconds. */
const STARVED = { cpu: 0.05, before: 1000 };

/** Stops a service that has a twentieth of a core, and so more requests and connections than it can answer. */
const stopStarved = async ({ pid, end }: ServiceProcess): Promise<number | null> => {
  const group = openCpuGroup();
  group.limit(STARVED.cpu);
  for (const each of [pid, ...childrenOf(pid)]) group.join(each);
  await sleep(STARVED.before);
  const code = await end('SIGTERM');
  await group.end();
  return code;
};

/** Stops the service that has run longest, each time in another way, with more clients than it can answer meanwhile. */
const restartOldest = (fleet: Fleet) => {
  const ways = [(service: ServiceProcess) => service.end(), stopWhilePaused, stopStarved];
  const possible = ways.slice(0, whyNoQuota() === undefined ? 3 : 2);
  let rounds = 0;
  const strike = async () => {
    const code = await fleet.endOldest(possible[rounds % possible.length]);
    rounds += 1;
    if (code !== 0) throw new Error(`SIGTERM ended a service with exit code ${code}, not 0`);
  };
  return { strike, mend: fleet.add };
};

const failOver = (_fleet: Fleet, replicated: Awaited<ReturnType<typeof openReplicated>>) => ({
  strike: replicated.failOver,
  mend: replicated.replaceReplica,
});

/** Commits that wait for a dead replica must not block clients for long. */
const IMPATIENT = { DATABASE_STATEMENT_TIMEOUT_MS: '2000' };

/** Every fault, in the order of the drill. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill-sqlite',
    title: 'kill -9, SQLite',
    mayDrop: true,
    mostBefore: 6000, // SQLite's log moves into its file after 2,000 writes, and again, so some are killed meanwhile
    set: sceneOn(openSqlite, 1, killOldest),
  },
  {
    name: 'kill-postgres',
    title: 'kill -9 of a service, of three, PostgreSQL',
    mayDrop: true,
    set: sceneOn(openPostgres, 3, killOldest),
  },
  {
    name: 'full-disk',
    title: 'disk full, SQLite',
    isRefused: true,
    whyNot: whyNoSmallDisk,
    set: sceneOn(openOnSmallDisk, 1, (_fleet, { disk }) => ({ strike: disk.fill, mend: disk.clear })),
  },
  {
    name: 'sigterm',
    title: 'SIGTERM, rolling restart of two services, paused or with 5 % of a core in two of three rounds',
    clients: 48,
    set: sceneOn(openPostgres, 2, restartOldest),
  },
  {
    name: 'outage',
    title: 'PostgreSQL stops at once and comes back, two services',
    isRefused: true,
    set: sceneOn(openPostgres, 2, (_fleet, { postgres }) => ({
      strike: postgres.stopAtOnce,
      mend: postgres.startAgain,
    })),
  },
  {
    name: 'failover',
    title: 'failover to a synchronous replica, two services',
    whyNot: whyNoReplica,
    set: sceneOn(openReplicated, 2, failOver, IMPATIENT),
  },
  CHAOS,
  ...CROWDS,
  ...CLUSTER,
];

/** Every service that the drills break. */
export const SUBJECTS: readonly Subject[] = [PLANTS, WAREHOUSE];
