import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readCount } from '../support/arguments.ts';
import type { Load } from './load/generators.ts';
import { NAMES } from './subjects/contenders.ts';
import { BUILD } from './subjects/servers.ts';

/** The text of --help. */
export const HELP = `npm run bench -- [growth | operations] [options]

  --rounds N        how often each server is measured (5)
  --seconds N       how long each measurement takes (10)
  --connections N   concurrent connections (64)
  --only A,B        some of ${NAMES.join(', ')}
  --before FOLDER   another built checkout, whose service is measured next to this one
  --node PATH       the Node binary that runs the servers (this one)
  --svg FILE        write a chart to this file
  --json FILE       write all measurements to this file
  --plants N        growth: plants in the largest store (10000000)
  --creates N       growth: creates before memory is measured (1000000)
  --help            this
`;

const readNames = (text: string): readonly string[] => {
  const names = text.split(',').filter(Boolean);
  const unknown = names.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0)
    throw new Error(`--only: there is no ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);
  return names.length > 0 ? names : NAMES;
};

const readBuild = (checkout: string | undefined): string | undefined => {
  if (checkout === undefined || existsSync(join(checkout, BUILD))) return checkout;
  throw new Error(`--before: ${checkout} has no ${BUILD}; run \`npm run build\` there`);
};

const readNode = (node: string): { node: string; version: string } => {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status === 0) return { node, version: stdout.trim() };
  throw new Error(`--node: ${node} does not run; give the path of a Node binary`);
};

const COMMANDS = ['compare', 'growth', 'operations'] as const;

const readCommand = ([given = 'compare', ...rest]: readonly string[]): (typeof COMMANDS)[number] => {
  const command = COMMANDS.find((name) => name === given);
  if (command && rest.length === 0) return command;
  throw new Error(`there is no ${[given, ...rest].join(' ')}; there are growth, operations, and --help`);
};

/** Reads the command line; throws with the name and the remedy for a bad value. */
export const readOptions = (args: readonly string[]) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '10' },
      connections: { type: 'string', default: '64' },
      plants: { type: 'string', default: '10000000' },
      creates: { type: 'string', default: '1000000' },
      only: { type: 'string', default: '' },
      before: { type: 'string' },
      node: { type: 'string', default: process.execPath },
      svg: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    command: readCommand(positionals),
    rounds: readCount('rounds', values.rounds, 1, 1000),
    seconds: readCount('seconds', values.seconds, 1, 3600),
    connections: readCount('connections', values.connections, 1, 10_000),
    plants: readCount('plants', values.plants, 0, 1e9),
    creates: readCount('creates', values.creates, 1, 1e9),
    names: readNames(values.only),
    before: readBuild(values.before),
    ...readNode(values.node),
    svg: values.svg,
    json: values.json,
    help: values.help,
  };
};

/** What a run is given: the command line, a load generator, and somebody who shows its progress. */
export interface BenchOptions extends ReturnType<typeof readOptions> {
  readonly load: Load;
  readonly report: (text: string) => void;
}
