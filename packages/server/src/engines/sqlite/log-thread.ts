/** The thread that moves a long log into its file. A PASSIVE checkpoint blocks neither readers nor writers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { DatabaseSyncInstance as Database } from '@photostructure/sqlite';
import { openExisting, watchIdentity } from './disk.ts';
import { checkpoint, FEW_PAGES, type LogFile } from './log.ts';

/** How long to wait for a reader before the next try, in milliseconds. A try that moves nothing is cheap. */
const PAUSE = 200;

/** It stops at so few pages: well below the number at which it is started. */
const ENOUGH = FEW_PAGES / 4;

const closing = new AbortController();
parentPort?.once('message', () => closing.abort());

const pause = (milliseconds: number): Promise<void> =>
  sleep(milliseconds, undefined, { signal: closing.signal }).catch(() => {});

/** Stops once little is left, or if writers add pages as fast as they move: then they must wait for once. */
const moveLog = async (database: Database): Promise<void> => {
  for (let before = checkpoint(database, 'NOOP'); before > ENOUGH && !closing.signal.aborted; ) {
    const stuck = checkpoint(database, 'PASSIVE');
    const left = checkpoint(database, 'NOOP');
    if (stuck < before && left > before * 0.75) return;
    await pause(stuck < before ? 0 : PAUSE);
    before = left;
  }
};

const { path, identity }: LogFile = workerData;
const database = openExisting(path);
try {
  // The log of a replaced file must not be moved into the file that took its place.
  if (watchIdentity(database, path)() === identity) await moveLog(database);
} finally {
  database.close();
  parentPort?.close();
}
