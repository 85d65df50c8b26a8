import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readCount } from '../support/arguments.ts';
import { NAMES } from './contenders.ts';
import { BUILD } from './subject.ts';

/** The text of --help. */
export const HELP = `npm run bench -- [options]

  --rounds N        how often each server is measured (5)
  --seconds N       how long each measurement takes (10)
  --connections N   concurrent connections (64)
  --bytes N         the size of a body (some 70)
  --plants N        plants that a SQLite store holds before the first round (0)
  --only A,B        some of ${NAMES.join(', ')}
  --before FOLDER   another built checkout, whose service is measured next to this one
  --node PATH       the Node binary that runs the servers (this one)
  --svg FILE        write a chart to this file
  --json FILE       write all measurements to this file
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

/** Reads the command line; throws with the name and the remedy for a bad value. */
export const readOptions = (args: readonly string[]) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '10' },
      connections: { type: 'string', default: '64' },
      bytes: { type: 'string', default: '0' },
      plants: { type: 'string', default: '0' },
      only: { type: 'string', default: '' },
      before: { type: 'string' },
      node: { type: 'string', default: process.execPath },
      svg: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 0) throw new Error(`there is no ${positionals.join(' ')}; see --help`);
  return {
    rounds: readCount('rounds', values.rounds, 1, 1000),
    seconds: readCount('seconds', values.seconds, 1, 3600),
    connections: readCount('connections', values.connections, 1, 10_000),
    bytes: readCount('bytes', values.bytes, 0, 100_000),
    plants: readCount('plants', values.plants, 0, 1e9),
    names: readNames(values.only),
    before: readBuild(values.before),
    ...readNode(values.node),
    svg: values.svg,
    json: values.json,
    help: values.help,
  };
};

/** The command line. */
export type BenchOptions = ReturnType<typeof readOptions>;
