import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { openPostgresRepository } from '../../src/storage/postgres.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import type { Settings } from '../support/service.ts';
import { TWO_WORKERS } from './contenders.ts';
import { loadByWrk } from './load.ts';
import type { BenchOptions } from './options.ts';
import { type LoadOptions, NAME, TAG } from './plan.ts';
import { type Round, runRound, WARM_UP_SHARE } from './round.ts';
import type { Contender } from './rounds.ts';
import { runProgram } from './run.ts';
import { inFolder, startServer } from './subject.ts';

/** Why PostgreSQL cannot be measured here, or `undefined` if it can. The embedded server has no pgbench. */
export const whyNoPostgres = (): string | undefined =>
  spawnSync('pgbench', ['--version']).status === 0
    ? undefined
    : 'pgbench is not installed; on Debian: apt-get install postgresql-contrib';

const query = async (url: string, text: string): Promise<number> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return Number(Object.values((await client.query(text)).rows[0] ?? {})[0]);
  } finally {
    await client.end();
  }
};

const countPlants = async (url: string): Promise<number> =>
  (await query(url, "SELECT count(*) FROM pg_class WHERE relname = 'plants'")) === 0
    ? 0
    : query(url, `SELECT count(*) FROM plants WHERE name LIKE '${NAME}%' AND tag = '${TAG}'`);

/** One row, one commit and one round trip per transaction; as safe to retry as a create. */
const SCRIPT = `\\set id random(1, 9223372036854775806)
INSERT INTO plants (id, name, tag) VALUES (:id, '${NAME}', '${TAG}') ON CONFLICT DO NOTHING;
`;

const readNumber = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? Number.NaN);

/** Reads pgbench's log, whose third field is the duration of a transaction in microseconds. */
const readLatencies = async (folder: string): Promise<Float64Array> => {
  const files = (await readdir(folder)).filter((name) => name.startsWith('latency'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const lines = texts.flatMap((text) => text.trim().split('\n'));
  return Float64Array.from(lines, (line) => Number(line.split(' ')[2]) / 1000).sort();
};

const measurePgbench = async (url: string, folder: string, options: LoadOptions): Promise<Round> => {
  const { hostname, port, username, password, pathname } = new URL(url);
  const limits = { poolSize: 1, connectTimeout: 5000, statementTimeout: 5000 };
  await (await openPostgresRepository(url, limits)).close(); // creates the table of the service
  const script = join(folder, 'create.sql');
  await writeFile(script, SCRIPT);
  const run = async (seconds: number, ...more: string[]): Promise<string> =>
    runProgram(
      'pgbench',
      [
        ...['-n', '-M', 'prepared', '-f', script, '-T', `${seconds}`],
        ...['-c', `${options.connections}`, '-j', `${Math.min(2, options.connections)}`],
        ...['-h', hostname, '-p', port, '-U', username, ...more, pathname.slice(1)],
      ],
      { cwd: folder, env: { PATH: process.env.PATH, PGPASSWORD: password }, within: seconds + 30 },
    );
  await run(Math.max(1, Math.ceil(options.seconds * WARM_UP_SHARE)));
  const before = await countPlants(url);
  const output = await run(options.seconds, '--log', '--log-prefix=latency');
  const stored = (await countPlants(url)) - before;
  const processed = readNumber(output, /number of transactions actually processed: (\d+)/);
  const latencies = await readLatencies(folder);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    measurements: {
      rate: readNumber(output, /tps = ([\d.]+)/),
      p50: percentile(0.5),
      p99: percentile(0.99),
    },
    wrong:
      stored === processed ? [] : [`${processed} inserts were acknowledged, ${stored} plants were stored`],
  };
};

/** Runs some work with a PostgreSQL that allows enough connections for pgbench. */
export const withPostgres = <T>(connections: number, work: (server: Postgres) => Promise<T>): Promise<T> =>
  inFolder(async (folder) => {
    const server = await startPostgres(folder, ['-c', `max_connections=${connections + 40}`]);
    try {
      return await work(server);
    } finally {
      await server.stop();
    }
  });

/** The service and pgbench on the same PostgreSQL; every round has an empty database. */
export const postgresContenders = (server: Postgres, options: BenchOptions): Contender[] => {
  const measureService =
    (settings: Settings) =>
    (url: string, folder: string): Promise<Round> => {
      const start = () => startServer({ settings }, options.node, folder, url);
      return runRound({ start, countPlants: () => countPlants(url) }, loadByWrk, options);
    };
  const contender = (
    name: string,
    title: string,
    round: (url: string, folder: string) => Promise<Round>,
  ): Contender => ({
    name,
    title,
    async round() {
      const url = await server.createDatabase();
      return inFolder((folder) => round(url, folder));
    },
  });
  return [
    contender('postgres', 'this service, PostgreSQL', measureService({})),
    contender('postgres-workers', 'this service, PostgreSQL, two workers', measureService(TWO_WORKERS)),
    contender('pgbench', 'pgbench, single-row inserts', (url, folder) =>
      measurePgbench(url, folder, options),
    ),
  ];
};
