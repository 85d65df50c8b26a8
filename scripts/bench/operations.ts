import { fileURLToPath } from 'node:url';
import { renderTable } from '../support/table.ts';
import type { Load } from './load/generators.ts';
import type { Outcome } from './report/outcome.ts';
import { renderStandings } from './report/table.ts';
import { ratioOf } from './report/targets.ts';
import { runRound } from './rounds/round.ts';
import { type Contender, runRounds } from './rounds/rounds.ts';
import { inFolder, sqliteSubject } from './subjects/servers.ts';
import { measureStartUp } from './subjects/startup.ts';

/** How the sizes of a contract are compared. */
interface OperationsOptions {
  readonly node: string;
  readonly load: Load;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly report: (text: string) => void;
}

const STARTS = 5;

const sourceOf = (name: string): string => fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url));

const SIZES = [
  { name: 'operations-1', title: 'one operation', file: sourceOf('operations-1') },
  { name: 'operations-1000', title: '1,000 operations', file: sourceOf('operations-1000') },
];

/** Measures the service with its own contract, and with one of a thousand operations. */
export const runOperations = async (options: OperationsOptions): Promise<Outcome> => {
  const { node, load, rounds, report } = options;
  const contenders = SIZES.map(
    ({ name, title, file }): Contender => ({
      name,
      title,
      round: () => inFolder((folder) => runRound(sqliteSubject(node, file, folder), load, options)),
    }),
  );
  const standings = await runRounds(contenders, rounds, report);
  const starts: { readonly title: string; readonly seconds: number | undefined }[] = [];
  for (const { title, file } of SIZES) {
    const { ready } = await measureStartUp(node, STARTS, file);
    starts.push({ title, seconds: ready && ready.median / 1000 });
    report(`start with ${title}: ${starts.at(-1)?.seconds?.toFixed(2)} s`);
  }
  const bars = standings.flatMap(({ title, measurements: { rate } }) =>
    rate ? [{ label: title, value: rate, isOurs: true }] : [],
  );
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
    groups: [{ title: 'as the contract grows', bars }],
    measured: { standings, starts },
  };
};
