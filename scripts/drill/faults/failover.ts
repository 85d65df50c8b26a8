import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { readPostgres } from '../../plants/stored-plants.ts';
import { settingsFor } from '../plant-store.ts';
import { startFleet } from './fleet.ts';
import {
  type ReplicatedServer,
  startPrimary,
  startReplica,
  untilTrue,
  urlOf,
  whyNoReplica,
} from './replication.ts';
import type { Fault, Scene } from './scene.ts';
import { startTcpProxy } from './tcp-proxy.ts';

const WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** Resolves once a commit waits for the replica that is down. */
const untilItWaits = (primary: ReplicatedServer) => untilTrue(primary, `EXISTS (SELECT ${WAITING})`);

/** Ways to end such a wait. None of them brings the missing data to the replica. */
const WAYS: readonly ((primary: ReplicatedServer) => Promise<void>)[] = [
  (primary) => untilTrue(primary, `(SELECT bool_or(pg_terminate_backend(pid)) ${WAITING})`),
  (primary) => untilTrue(primary, `(SELECT bool_or(pg_cancel_backend(pid)) ${WAITING})`),
  async (primary) => {
    await primary.stop();
    await primary.start();
  },
];

/** How many waits are ended in a round. */
const ENDINGS = 3;

/**
 * Stops the replica, ends the waits of commits for it, and lets clients send those again. Then crashes the primary and
 * promotes the replica, which was back before the crash in every other round.
 */
export const FAILOVER: Fault = {
  name: 'failover',
  title: 'failover to a synchronous replica, two services',
  mayDrop: false,
  whyNot: whyNoReplica,
  async set(folder) {
    await chmod(folder, 0o755); // PostgreSQL runs as another user
    let servers = 0;
    let rounds = 0;
    const nextFolder = () => join(folder, `server-${servers++}`);
    let primary = await startPrimary(nextFolder());
    let replica = await startReplica(nextFolder(), primary);
    const proxy = await startTcpProxy(primary.port);
    const url = urlOf(proxy);
    const settings = { ...settingsFor(url), DATABASE_STATEMENT_TIMEOUT_MS: '2000' };
    const fleet = await startFleet(folder, settings, 2);

    const endWaits = async (): Promise<void> => {
      const end = WAYS[rounds % WAYS.length];
      for (let ended = 0; ended < ENDINGS; ended += 1) {
        await untilItWaits(primary);
        await end?.(primary);
      }
      await untilItWaits(primary);
    };
    const bringBack = async (): Promise<void> => {
      await replica.start();
      await untilTrue(primary, "EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')");
    };

    const strike: Scene['strike'] = async () => {
      const isBackBefore = rounds % 2 === 1;
      await replica.stop();
      await endWaits();
      if (isBackBefore) await bringBack();
      await primary.stop();
      if (!isBackBefore) await replica.start();
      await replica.promote();
      proxy.switchTo(replica.port);
      rounds += 1;
    };
    const mend = async (): Promise<void> => {
      await primary.remove();
      primary = replica;
      replica = await startReplica(nextFolder(), primary);
    };
    const end = async (): Promise<void> => {
      await fleet.endAll();
      proxy.close();
      await Promise.allSettled([replica.stop(), primary.stop()]); // one may already be down
    };
    return { targets: fleet.targets, strike, mend, read: () => readPostgres(url), end };
  },
};
