import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openStore } from '../../src/store.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { queryPostgres } from '../support/query.ts';
import { CREATES } from './answers.ts';
import { loadByWrk } from './load.ts';
import { type LoadOptions, NAME, TAG } from './plan.ts';
import { type Round, runRound, warmUpOf } from './round.ts';
import type { Contender } from './rounds.ts';
import { type Entry, inFolder, startServer } from './subjects.ts';

/** Why PostgreSQL cannot be measured here, or `undefined` if it can. The embedded server has no pgbench. */
export const whyNoPostgres = (): string | undefined =>
  spawnSync('pgbench', ['--version']).status === 0
    ? undefined
    : 'pgbench is not installed; on Debian: apt-get install postgresql-contrib';

const COUNT = `SELECT count(*) AS plants FROM plants WHERE name LIKE '${NAME}%' AND tag = '${TAG}'`;

const countPlants = async (url: string): Promise<number> =>
  Number((await queryPostgres(url, COUNT))[0]?.plants);

/** One row, one commit and one round trip per transaction; as safe to retry as a create. */
const SCRIPT = `\\set id random(1, 9223372036854775806)
INSERT INTO plants (id, name, tag) VALUES (:id, '${NAME}', '${TAG}') ON CONFLICT DO NOTHING;
`;

const measurePgbench = async (url: string, folder: string, options: LoadOptions): Promise<Round> => {
  const { hostname, port, username, password, pathname } = new URL(url);
  await (await openStore({ databaseUrl: url })).close(); // creates the table of the service
  const script = join(folder, 'create.sql');
  await writeFile(script, SCRIPT);
  const run = async (seconds: number): Promise<string> => {
    const args = [
      ...['-n', '-M', 'prepared', '-f', script, '-T', `${seconds}`],
      ...['-c', `${options.connections}`, '-j', `${Math.min(2, options.connections)}`],
      ...['-h', hostname, '-p', port, '-U', username, pathname.slice(1)],
    ];
    const env = { PATH: process.env.PATH, PGPASSWORD: password };
    return (await promisify(execFile)('pgbench', args, { env, timeout: (seconds + 30) * 1000 })).stdout;
  };
  await run(warmUpOf(options.seconds));
  const before = await countPlants(url);
  const output = await run(options.seconds);
  const stored = (await countPlants(url)) - before;
  const read = (pattern: RegExp): number => Number(pattern.exec(output)?.[1]);
  const processed = read(/number of transactions actually processed: (\d+)/);
  return {
    measurements: { rate: read(/tps = ([\d.]+)/) },
    wrong:
      stored === processed ? [] : [`${processed} inserts were acknowledged, ${stored} plants were stored`],
  };
};

/** Runs some work with a PostgreSQL that allows enough connections for pgbench. */
export const withPostgres = <T>(connections: number, work: (server: Postgres) => Promise<T>): Promise<T> =>
  inFolder(async (folder) => {
    const server = await startPostgres(folder, ['-c', `max_connections=${connections + 40}`]);
    return work(server).finally(() => server.stop());
  });

/** It is not a server, but is measured beside them. */
export const PGBENCH: Entry = { name: 'pgbench', title: 'pgbench, single-row inserts' };

/** Makes a contender of a server or of pgbench. Every round has an empty database. */
export const toPostgresContender = (
  server: Postgres,
  entry: Entry,
  options: LoadOptions & { readonly node: string },
): Contender => {
  const round = (url: string, folder: string): Promise<Round> => {
    if (entry === PGBENCH) return measurePgbench(url, folder, options);
    const start = () => startServer(entry, options.node, folder, url);
    return runRound({ start, countRows: () => countPlants(url) }, CREATES, loadByWrk, options);
  };
  return {
    name: entry.name,
    title: entry.title,
    async round() {
      const url = await server.createDatabase();
      return inFolder((folder) => round(url, folder));
    },
  };
};
