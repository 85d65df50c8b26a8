import type { ServiceProcess } from '../../support/service.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { protect, unprotect, whyNoWriteProtection } from '../../support/write-protection.ts';
import { CHAOS } from './chaos.ts';
import { FAILOVER } from './failover.ts';
import { stopWhilePaused } from './fleet.ts';
import { type Fault, type Scene, setOnPostgres, setOnSqlite } from './scene.ts';
import { WORKER_FAULTS } from './workers.ts';

/** A fault of the store. The services go on, and refuse. */
const strikeStore =
  (strike: () => Promise<void> | void): Scene['strike'] =>
  async (refused) => {
    await strike();
    await refused();
  };

const kill = (service: ServiceProcess) => service.end('SIGKILL');
const terminate = (service: ServiceProcess) => service.end('SIGTERM');

/** Every fault, in the order of the drill. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill-sqlite',
    title: 'kill -9, SQLite',
    mayDrop: true,
    async set(folder) {
      const { fleet, ...scene } = await setOnSqlite(folder, 1);
      return { ...scene, strike: async () => void (await fleet.endOldest(kill)), mend: fleet.add };
    },
  },
  {
    name: 'kill-postgres',
    title: 'kill -9 of one of three services, PostgreSQL',
    mayDrop: true,
    async set(folder) {
      const { fleet, ...scene } = await setOnPostgres(folder, 3);
      return { ...scene, strike: async () => void (await fleet.endOldest(kill)), mend: fleet.add };
    },
  },
  {
    name: 'stop-postgres',
    title: 'immediate stop of PostgreSQL, two services',
    mayDrop: false,
    async set(folder) {
      const { postgres, ...scene } = await setOnPostgres(folder, 2);
      return { ...scene, strike: strikeStore(postgres.stopAtOnce), mend: postgres.startAgain };
    },
  },
  {
    name: 'full-disk',
    title: 'disk full, SQLite',
    mayDrop: false,
    whyNot: whyNoSmallDisk,
    async set(folder) {
      const disk = await mountSmallDisk(folder, 256);
      const scene = await setOnSqlite(disk.path, 1);
      const end = async () => {
        await scene.end();
        disk.unmount();
      };
      return { ...scene, strike: strikeStore(disk.fill), mend: disk.clear, end };
    },
  },
  {
    name: 'read-only-disk',
    title: 'disk read-only, SQLite',
    mayDrop: false,
    whyNot: whyNoWriteProtection,
    async set(folder) {
      const scene = await setOnSqlite(folder, 1);
      const files = [scene.path, `${scene.path}-wal`];
      return { ...scene, strike: strikeStore(() => protect(files)), mend: async () => unprotect(files) };
    },
  },
  {
    // Every other round pauses the process around the signal, with more clients than it can answer meanwhile.
    name: 'sigterm',
    title: 'SIGTERM, rolling restart of two services, paused in half of the rounds',
    mayDrop: false,
    clients: 48,
    async set(folder) {
      const { fleet, ...scene } = await setOnPostgres(folder, 2);
      let rounds = 0;
      const strike = async () => {
        rounds += 1;
        const code = await fleet.endOldest(rounds % 2 === 0 ? stopWhilePaused : terminate);
        if (code !== 0) throw new Error(`SIGTERM ended a service with exit code ${code}, not 0`);
      };
      return { ...scene, strike, mend: fleet.add };
    },
  },
  FAILOVER,
  ...WORKER_FAULTS,
  CHAOS,
];
