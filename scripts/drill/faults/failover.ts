import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { TOKEN } from './clients.ts';
import type { Fault, Scene } from './faults.ts';
import { startFleet } from './fleet.ts';
import { type ReplicatedServer, startPrimary, startReplica, untilTrue, whyNoReplica } from './replication.ts';
import { readPostgres } from './stores.ts';
import { openSwitchboard } from './switchboard.ts';

const WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** A commit waits for the replica that is away. */
const untilItWaits = (primary: ReplicatedServer) => untilTrue(primary, `EXISTS (SELECT ${WAITING})`);

/** Ways to end such a wait, none of which gives the replica what it lacks. */
const WAYS: readonly ((primary: ReplicatedServer) => Promise<void>)[] = [
  (primary) => untilTrue(primary, `(SELECT bool_or(pg_terminate_backend(pid)) ${WAITING})`),
  (primary) => untilTrue(primary, `(SELECT bool_or(pg_cancel_backend(pid)) ${WAITING})`),
  async (primary) => {
    await primary.stop();
    await primary.start();
  },
];

/** How often the wait is ended in a round. */
const ENDINGS = 3;

/**
 * The replica goes away, commits wait, their wait is ended, and clients send them again. Then the primary crashes, in
 * every other round with the replica back before that, and the replica takes its place.
 */
export const FAILOVER: Fault = {
  name: 'failover',
  title: 'failover to a synchronous replica, two services',
  mayDrop: false,
  whyNot: whyNoReplica,
  async set(folder) {
    await chmod(folder, 0o755); // for the user that PostgreSQL runs as
    let servers = 0;
    let rounds = 0;
    const nextFolder = () => join(folder, `server-${servers++}`);
    let primary = await startPrimary(nextFolder());
    let replica = await startReplica(nextFolder(), primary);
    const switchboard = await openSwitchboard(primary.port);
    const url = `postgres://plants@127.0.0.1:${switchboard.port}/postgres`;
    const settings = {
      ACCESS_TOKENS: TOKEN,
      DATABASE_URL: url,
      DATABASE_STATEMENT_TIMEOUT_MS: '2000',
      NODE_ENV: 'production',
    };
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
      switchboard.switchTo(replica.port);
      rounds += 1;
    };
    const mend = async (): Promise<void> => {
      await primary.remove();
      primary = replica;
      replica = await startReplica(nextFolder(), primary);
    };
    const end = async (): Promise<void> => {
      await fleet.endAll();
      switchboard.close();
      await Promise.allSettled([replica.stop(), primary.stop()]); // one may be down already
    };
    return { targets: fleet.targets, strike, mend, read: () => readPostgres(url), end };
  },
};
