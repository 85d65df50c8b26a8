import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../support/postgres.ts';

/** Where Debian keeps the programs of each version of PostgreSQL. */
const DEBIAN = '/usr/lib/postgresql';

/** Finds the programs of PostgreSQL: in Debian's folders, newest version first, or in those of PATH. */
const findPrograms = (): string | undefined => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  return [
    ...versions
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ].find((folder) =>
    ['initdb', 'pg_ctl', 'pg_basebackup'].every((program) => existsSync(join(folder, program))),
  );
};

/** Who PostgreSQL runs as, since it does not run as root; `undefined` for whoever runs the drill. */
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
    start,
    /** Stops immediately, like a crash. */
    stop: () => control('-m', 'immediate', 'stop'),
    promote: () => control('promote'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

/** A PostgreSQL server, primary or replica. */
export type ReplicatedServer = Awaited<ReturnType<typeof startServer>>;

/** Starts a primary whose commits wait for a replica. */
export const startPrimary = (folder: string): Promise<ReplicatedServer> =>
  startServer(folder, 'initdb', ['--auth=trust', '--username=plants', '--encoding=UTF8', '--locale=C']);

/** Starts a replica of a primary. */
export const startReplica = (folder: string, { port }: ReplicatedServer): Promise<ReplicatedServer> => {
  const source = `host=127.0.0.1 port=${port} user=plants application_name=${REPLICA}`;
  return startServer(folder, 'pg_basebackup', ['-d', source, '-R', '-c', 'fast']);
};

/** The URL of the database of a server, or of a proxy in front of it. */
export const urlOf = ({ port }: { readonly port: number }): string =>
  `postgres://plants@127.0.0.1:${port}/postgres`;

/** Polls a server until a condition is true. */
export const untilTrue = async (server: ReplicatedServer, condition: string): Promise<void> => {
  const client = new pg.Client(urlOf(server));
  client.on('error', () => {});
  await client.connect();
  try {
    while (!(await client.query(`SELECT ${condition} AS met`)).rows[0]?.met) await sleep(10);
  } finally {
    await client.end();
  }
};
