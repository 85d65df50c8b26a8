import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../support/postgres.ts';

const run = promisify(execFile);

/** Where PostgreSQL may be: Debian's folders, newest version first, and those of PATH. */
const FOLDERS = (): string[] => {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((one, other) => Number(other) - Number(one))
    : [];
  return [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
};

const findPrograms = (): string | undefined =>
  FOLDERS().find((folder) =>
    ['initdb', 'pg_ctl', 'pg_basebackup'].every((program) => existsSync(join(folder, program))),
  );

const isRoot = (): boolean => process.getuid?.() === 0;

/** PostgreSQL does not run as root. */
const readOwner = (): { uid?: number; gid?: number } => {
  const ask = (option: string) => Number(execFileSync('id', [option, 'postgres'], { stdio: 'pipe' }));
  return isRoot() ? { uid: ask('-u'), gid: ask('-g') } : {};
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

/** A PostgreSQL server, primary or replica. */
export interface ReplicatedServer {
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  /** Stops immediately, like a crash. */
  stop(): Promise<void>;
  promote(): Promise<void>;
  remove(): Promise<void>;
}

const openServer = async (folder: string): Promise<ReplicatedServer> => {
  const programs = findPrograms() ?? '';
  const owner = readOwner();
  const port = await freePort();
  const control = (...args: readonly string[]) =>
    run(join(programs, 'pg_ctl'), ['-D', folder, '-w', '-t', '120', ...args], { ...owner, cwd: folder });
  const options = [`port=${port}`, ...OPTIONS].map((option) => `-c ${option}`).join(' ');
  return {
    port,
    url: `postgres://plants@127.0.0.1:${port}/postgres`,
    start: async () => void (await control('-l', join(folder, 'log'), '-o', options, 'start')),
    stop: async () => void (await control('-m', 'immediate', 'stop')),
    promote: async () => void (await control('promote')),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

const makeFolder = async (folder: string): Promise<void> => {
  const { uid, gid } = readOwner();
  await mkdir(folder, { mode: 0o700 });
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
};

const runProgram = (program: string, args: readonly string[], cwd: string) =>
  run(join(findPrograms() ?? '', program), [...args], { ...readOwner(), cwd });

/** Starts a primary whose commits wait for a replica. */
export const startPrimary = async (folder: string): Promise<ReplicatedServer> => {
  await makeFolder(folder);
  const flags = ['--auth=trust', '--username=plants', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await runProgram('initdb', ['-D', folder, ...flags], folder);
  const server = await openServer(folder);
  await server.start();
  return server;
};

/** Starts a replica of a primary. */
export const startReplica = async (folder: string, { port }: ReplicatedServer): Promise<ReplicatedServer> => {
  await makeFolder(folder);
  const source = `host=127.0.0.1 port=${port} user=plants application_name=${REPLICA}`;
  await runProgram('pg_basebackup', ['-D', folder, '-d', source, '-R', '-c', 'fast', '--no-sync'], folder);
  const server = await openServer(folder);
  await server.start();
  return server;
};

/** Polls a server until a condition is true. */
export const untilTrue = async ({ url }: ReplicatedServer, condition: string): Promise<void> => {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    while (!(await client.query(`SELECT ${condition} AS met`)).rows[0]?.met) await sleep(10);
  } finally {
    await client.end();
  }
};
