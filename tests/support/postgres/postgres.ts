import pg from 'pg';
import { type Postgres, startPostgres } from '../../../scripts/support/postgres.ts';
import { startProxy } from '../../../scripts/support/proxy.ts';
import { temporaryFolders } from '../temporary.ts';
import { until } from './conditions.ts';

/** The default limits of the service. */
export const LIMITS = { poolSize: 4, connectTimeout: 2000, statementTimeout: 5000 };

/** A separate connection to the database. */
export type Session = pg.Client;

/** A real PostgreSQL for the tests of a file. Databases and connections are closed after each test. */
export const usePostgres = (flags: readonly string[] = []) => {
  let server: Postgres | undefined;
  const opened: (() => Promise<unknown>)[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((close) => close())));
  afterAll(() => server?.stop()); // before its folder goes
  const makeFolder = temporaryFolders();
  beforeAll(async () => {
    server = await startPostgres(await makeFolder(), flags);
  });

  return {
    makeFolder,
    get server(): Postgres {
      if (server) return server;
      throw new Error('PostgreSQL is there once the tests run');
    },
    createDatabase() {
      return this.server.createDatabase();
    },
    /** Closes something when the test is over. */
    closeLater(close: () => Promise<unknown>): void {
      opened.push(close);
    },
    /** A way to the database that the test can silence. */
    async openProxy(url: string) {
      const proxy = await startProxy(url);
      opened.push(async () => proxy.close());
      return proxy;
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

/** The backends that wait for a lock of another session. */
export const readWaiting = async (session: Session): Promise<number[]> => {
  const { rows } = await session.query<{ pid: number }>(
    'SELECT DISTINCT pid FROM pg_locks WHERE NOT granted',
  );
  return rows.map(({ pid }) => pid);
};

/** Settles with the backends that wait for a lock, once there are that many. */
export const untilWaiting = (session: Session, count = 1): Promise<number[]> =>
  until(`${count} backends wait for a lock`, async () => {
    const waiting = await readWaiting(session);
    return waiting.length === count ? waiting : undefined;
  });
