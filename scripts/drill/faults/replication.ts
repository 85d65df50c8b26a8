import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/postgres.ts';
import { startProxy } from '../../support/proxy.ts';
import { queryPostgres } from '../../support/query.ts';
import { until } from '../../support/until.ts';

/** Where Debian keeps the programs of each version of PostgreSQL. */
const DEBIAN = '/usr/lib/postgresql';

/** Finds the programs of PostgreSQL: in a folder of Debian, or in the PATH. */
const findPrograms = (): string | undefined => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  return [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
  ].findLast((folder) => existsSync(join(folder, 'pg_ctl')) && existsSync(join(folder, 'pg_basebackup')));
};

/** The user that PostgreSQL runs as, because it refuses root; `undefined` for the current user. */
const readOwner = (): { readonly uid: number; readonly gid: number } | undefined => {
  const ask = (option: string) => Number(execFileSync('id', [option, 'postgres'], { stdio: 'pipe' }));
  return process.getuid?.() === 0 ? { uid: ask('-u'), gid: ask('-g') } : undefined;
};

/** Why this machine cannot run a replica; `undefined` if it can. */
export const whyNoReplica = (): string | undefined => {
  if (findPrograms() === undefined) return "needs pg_basebackup (Debian's postgresql has it)";
  try {
    readOwner();
  } catch {
    return 'needs a user postgres to run as';
  }
  return undefined;
};

/** The name of the replica that the primary's commits wait for. */
const REPLICA = 'replica';

const OPTIONS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  `synchronous_standby_names=${REPLICA}`, // takes effect on a replica once it is promoted
  'wal_keep_size=512MB',
  'max_connections=300', // a commit that waits for a replica keeps its connection, even after the client has given up
];

/** Fills a folder with the data of a server by a program of PostgreSQL, and starts the server. */
const startServer = async (folder: string, program: string, flags: readonly string[]) => {
  const [programs, owner, port] = [findPrograms() ?? '', readOwner(), await freePort()];
  const run = async (name: string, ...args: readonly string[]): Promise<void> => {
    await promisify(execFile)(join(programs, name), ['-D', folder, ...args], { ...owner, cwd: folder });
  };
  const control = (...args: readonly string[]) => run('pg_ctl', '-w', '-t', '120', ...args);
  const options = [`port=${port}`, ...OPTIONS].map((option) => `-c ${option}`).join(' ');
  const start = () => control('-l', join(folder, 'log'), '-o', options, 'start');

  await mkdir(folder, { mode: 0o700 });
  if (owner) await chown(folder, owner.uid, owner.gid);
  await run(program, '--no-sync', ...flags);
  await start();
  return {
    port,
    url: `postgres://plants@127.0.0.1:${port}/postgres`,
    start,
    /** Stops immediately, like a crash. */
    stop: () => control('-m', 'immediate', 'stop'),
    promote: () => control('promote'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

type Server = Awaited<ReturnType<typeof startServer>>;

/** Starts a primary whose commits wait for a replica. */
const startPrimary = (folder: string): Promise<Server> =>
  startServer(folder, 'initdb', ['--auth=trust', '--username=plants', '--encoding=UTF8', '--locale=C']);

const startReplica = (folder: string, { port }: Server): Promise<Server> => {
  const source = `host=127.0.0.1 port=${port} user=plants application_name=${REPLICA}`;
  return startServer(folder, 'pg_basebackup', ['-d', source, '-R', '-c', 'fast']);
};

/** Asks a server until a condition is true. */
const untilTrue = ({ url }: Server, condition: string): Promise<void> =>
  until(condition, async () => (await queryPostgres(url, `SELECT ${condition} AS met`))[0]?.met === true);

const WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/** Ways to end the wait of commits for a replica. None of them brings the missing data to the replica. */
const WAYS: readonly ((primary: Server) => Promise<void>)[] = [
  (primary) => untilTrue(primary, `(SELECT bool_or(pg_terminate_backend(pid)) ${WAITING})`),
  (primary) => untilTrue(primary, `(SELECT bool_or(pg_cancel_backend(pid)) ${WAITING})`),
  async (primary) => {
    await primary.stop();
    await primary.start();
  },
];

/** How many waits are ended before a failover. */
const ENDINGS = 3;

/** A primary and its synchronous replica behind a proxy. */
export const openReplicated = async (folder: string) => {
  await chmod(folder, 0o755); // PostgreSQL runs as another user
  let [servers, rounds] = [0, 0];
  const nextFolder = () => join(folder, `server-${servers++}`);
  let primary = await startPrimary(nextFolder());
  let replica = await startReplica(nextFolder(), primary);
  const proxy = await startProxy(primary.url);

  const untilItWaits = () => untilTrue(primary, `EXISTS (SELECT ${WAITING})`);
  const endWaits = async (): Promise<void> => {
    for (let ended = 0; ended < ENDINGS; ended += 1) {
      await untilItWaits();
      await WAYS[rounds % WAYS.length]?.(primary);
    }
    await untilItWaits();
  };
  return {
    url: proxy.url,
    query: (sql: string) => queryPostgres(proxy.url, sql),
    /**
     * Stops the replica, ends the waits of commits for it, and lets clients send those again. Then crashes the primary
     * and promotes the replica, which was back before the crash in every other round.
     */
    async failOver(): Promise<void> {
      const isBackBefore = rounds % 2 === 1;
      await replica.stop();
      await endWaits();
      if (isBackBefore) {
        await replica.start();
        await untilTrue(primary, "EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')");
      }
      await primary.stop();
      if (!isBackBefore) await replica.start();
      await replica.promote();
      proxy.switchTo(replica.port);
      rounds += 1;
    },
    async replaceReplica(): Promise<void> {
      await primary.remove();
      primary = replica;
      replica = await startReplica(nextFolder(), primary);
    },
    async end(): Promise<void> {
      proxy.close();
      await Promise.allSettled([replica.stop(), primary.stop()]); // one may already be down
    },
  };
};
