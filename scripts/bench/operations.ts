import { fileURLToPath } from 'node:url';
import { renderTable } from '@trellis/contract-tests/internal';
import type { BenchOptions } from './options.ts';
import { toGroup } from './report/chart.ts';
import type { Outcome } from './report/outcome.ts';
import { renderStandings } from './report/table.ts';
import { ratioOf } from './report/targets.ts';
import { runRounds } from './rounds/rounds.ts';
import { onEmptyStore } from './subjects/contenders.ts';
import type { Program } from './subjects/servers.ts';
import { measureStartUp } from './subjects/startup.ts';

const STARTS = 5;

const FILE = fileURLToPath(new URL('servers/many-operations.ts', import.meta.url));

const SIZES = [
  { name: 'operations-1', title: 'one operation', operations: '1' },
  { name: 'operations-1000', title: '1,000 operations', operations: '1000' },
];

/** Measures the service with its own contract, and with one of a thousand operations. */
export const runOperations = async (options: BenchOptions): Promise<Outcome> => {
  const { node, load, rounds, report } = options;
  const servers = SIZES.map(({ operations, ...entry }) => {
    const program: Program = { node, file: FILE, settings: { OPERATIONS: operations } };
    return { ...entry, program, contender: onEmptyStore(entry, program, load, options) };
  });
  const standings = await runRounds(
    servers.map(({ contender }) => contender),
    rounds,
    report,
  );
  const starts: { readonly title: string; readonly seconds: number | undefined }[] = [];
  for (const { title, program } of servers) {
    const { ready } = await measureStartUp(program, STARTS);
    starts.push({ title, seconds: ready && ready.median / 1000 });
    report(`start with ${title}: ${starts.at(-1)?.seconds?.toFixed(2)} s`);
  }
  return {
    title: 'Durable creates per second, by the size of the contract',
    text: [
      renderStandings('as the contract grows', standings),
      renderTable(
        ['start until /healthz answers', 'seconds'],
        starts.map(({ title, seconds }) => [title, seconds?.toFixed(2) ?? '']),
      ),
    ].join('\n\n'),
    standings,
    targets: [
      {
        what: '1,000 operations / one, creates/s',
        measured: ratioOf(standings, ['operations-1000', 'operations-1']),
        atLeast: 0.95,
      },
      {
        what: 'seconds until ready with 1,000 operations',
        measured: starts.at(-1)?.seconds,
        atMost: 2,
      },
    ],
    groups: [toGroup('as the contract grows', standings)],
    measured: { standings, starts },
  };
};
