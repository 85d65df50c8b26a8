import { parseArgs } from 'node:util';
import { nearestTo } from '@trellis/openapi/json';
import { usage } from './exit.ts';
import { type Given, OPTIONS } from './options.ts';

const CONFIG = Object.fromEntries(
  OPTIONS.map(({ name, value, isRepeatable = false }) => [
    name,
    { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: isRepeatable },
  ]),
);

const NAMES = OPTIONS.map(({ name }) => name);

const requireKnown = (args: readonly string[]): void => {
  const written = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  for (const argument of written) {
    const [, name = ''] = /^--([^=]+)/.exec(argument) ?? [];
    if (name === '' || NAMES.includes(name)) continue;
    const similar = nearestTo(name, NAMES);
    const hint = similar === undefined ? 'see --help' : `did you mean --${similar}? See --help`;
    throw usage(`there is no option --${name}; ${hint}`);
  }
};

/** parseArgs explains an error at length; the first sentence is enough. */
const shorten = (error: unknown): Error =>
  usage(
    `${String(error instanceof Error ? error.message : error)
      .split(/\. |\n/)[0]
      ?.replace(/^./, (letter) => letter.toLowerCase())}; see --help`,
  );

/** Reads the command line: its options, and the URL that may stand without `--url`. */
export const readArguments = (args: readonly string[]): Given => {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: CONFIG, allowPositionals: true });
    const given = new Map(
      Object.entries(values).map(([name, value]) => [name, [value ?? []].flat().map(String)]),
    );
    const [url, ...others] = positionals;
    if (others[0] !== undefined) throw usage(`"${others[0]}" is one word too many; see --help`);
    if (url !== undefined && given.has('url')) throw usage('the URL is there twice; see --help');
    return url === undefined ? given : given.set('url', [url]);
  } catch (error) {
    requireKnown(args);
    throw error instanceof TypeError ? shorten(error) : error;
  }
};
