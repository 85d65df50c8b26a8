/** Compares the museum of `examples/museum` with the same service written by hand on Fastify and Kysely. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { count, renderTable } from '@trellis/contract-tests/internal';
import { installPeers } from '../build.ts';
import { renderStandings, voidedIn } from '../report.ts';
import type { Metric } from '../round.ts';
import { runRounds, type Standing } from '../rounds.ts';
import { inFolder } from '../subjects.ts';
import { testContract } from './contract.ts';
import { buildExample, entriesOf } from './entries.ts';
import { KINDS, toContender } from './loads.ts';

const pathTo = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const EXAMPLE = pathTo('../../../examples/museum/src');
const TWIN = pathTo('twin');

/** What knows neither Trellis nor Fastify, and serves both. */
const SHARED = ['days.ts', 'pages.ts', 'ticket-code.ts'].map((name) => join(EXAMPLE, name));

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

const countLines = (files: readonly string[]): string[] => {
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n'));
  const code = lines.filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line));
  return [files.length, lines.length, code.length].map(count);
};

const compareLines = (): string =>
  renderTable(
    ['own sources, without tests and contract', 'files', 'lines', 'without comments and empty lines'],
    [
      ['the example', ...countLines(filesIn(EXAMPLE))],
      ['Fastify, by hand', ...countLines([...filesIn(TWIN), ...SHARED])],
      ['of both, the same', ...countLines(SHARED)],
    ],
  );

const METRICS: readonly (readonly [metric: Metric, title: string])[] = [
  ['rate', 'rate'],
  ['p99', 'p99'],
  ['cpu', 'CPU'],
];

const ratiosOf = ([example, twin]: readonly Standing[]): string =>
  METRICS.map(([metric, title]) => {
    const [above, below] = [example, twin].map((each) => each?.measurements[metric]?.median);
    return `${title} ${above && below ? (above / below).toFixed(2) : '–'}`;
  }).join(', ');

/** What the comparison needs to know. */
export interface MuseumOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly node: string;
  /** A project of the example that is built already. */
  readonly project?: string | undefined;
}

/** Compares lines, refused requests and throughput, and prints tables. Gives 1 if a round was void. */
export const compareMuseum = async (
  options: MuseumOptions,
  report: (text: string) => void,
): Promise<number> => {
  installPeers(report);
  return inFolder(async (folder) => {
    const project = options.project ?? join(folder, 'museum');
    if (options.project === undefined) {
      report('making the project of the example');
      await buildExample(project);
    }
    const entries = entriesOf(project);
    console.log(`${compareLines()}\n`);

    const rows: string[][] = [];
    const found: string[] = [];
    for (const entry of entries) {
      report(`contract tests: ${entry.title}`);
      const { requests, failures, bad, refused, accepted, ...rest } = await testContract(entry, options.node);
      const numbers = [requests, failures, bad, refused, accepted, bad - refused - accepted].map(count);
      rows.push([entry.title, ...numbers]);
      found.push(
        ...rest.found.map(({ operation, name, what }) => `${entry.title}: ${operation}: ${name}: ${what}`),
      );
    }
    const header = ['contract tests', 'requests', 'findings', 'of them bad', '4xx', 'accepted', '5xx'];
    console.log([renderTable(header, rows), ...found].join('\n'), '\n');

    const standings: Standing[] = [];
    for (const kind of KINDS) {
      const contenders = entries.map((entry) => toContender(entry, kind, options));
      const measured = await runRounds(contenders, options.rounds, report);
      console.log(renderStandings(`${options.connections} connections`, measured, kind.title));
      console.log(`the example / Fastify by hand: ${ratiosOf(measured)}\n`);
      standings.push(...measured);
    }
    for (const why of voidedIn(standings)) console.log(`VOID  ${why}`);
    return voidedIn(standings).length > 0 ? 1 : 0;
  });
};
