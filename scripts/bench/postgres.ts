import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openStore } from '../../src/store.ts';
import { startPostgres } from '../support/postgres.ts';
import { queryPostgres } from '../support/query.ts';
import { CREATES, NAME, TAG } from './creates.ts';
import type { BenchOptions, LoadOptions } from './plan.ts';
import { type Round, warmUpOf } from './round.ts';
import { runRounds, type Standing } from './rounds.ts';
import { chooseEntries, type Entry, inFolder, POSTGRES_ENTRIES, toContender } from './subjects.ts';

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

/** It is not a server, but is measured beside them. */
const PGBENCH: Entry = { name: 'pgbench', title: 'pgbench, single-row inserts' };

/** The names of all that can be measured on PostgreSQL. */
export const ON_POSTGRES: readonly string[] = [...POSTGRES_ENTRIES, PGBENCH].map(({ name }) => name);

/** Measures the chosen servers, and pgbench, on one PostgreSQL. Every round has an empty database. */
export const benchPostgres = async (options: BenchOptions): Promise<Standing[]> => {
  const entries = chooseEntries([...POSTGRES_ENTRIES, PGBENCH], options);
  if (entries.length === 0) return [];
  if (spawnSync('pgbench', ['--version']).status !== 0) {
    // The embedded server has no pgbench.
    options.report(
      'PostgreSQL is left out: pgbench is not installed; on Debian: apt-get install postgresql-contrib',
    );
    return [];
  }
  return inFolder(async (data) => {
    const server = await startPostgres(data, ['-c', `max_connections=${options.connections + 40}`]);
    const open = async () => {
      const databaseUrl = await server.createDatabase();
      return { databaseUrl, countRows: () => countPlants(databaseUrl) };
    };
    const pgbench = () =>
      inFolder(async (folder) => measurePgbench(await server.createDatabase(), folder, options));
    const contenders = entries.map((entry) => ({
      ...toContender(entry, CREATES, open, options),
      ...(entry === PGBENCH && { round: pgbench }),
    }));
    return runRounds(contenders, options).finally(() => server.stop());
  });
};
