import { parseArgs } from 'node:util';

/** The exit codes of the command. */
export const EXIT = {
  kept: 0,
  broken: 1,
  usage: 2,
  contract: 3,
  service: 4,
  unexpected: 70, // EX_SOFTWARE of sysexits.h
  interrupted: 130, // 128 + SIGINT, as a shell has it
} as const;

/** Ends the command with a sentence and an exit code. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** Creates the error of a wrong command line. */
export const usage = (sentence: string): Exit => new Exit(EXIT.usage, sentence);

/** The lines to put into a bug report about this command. */
export const describeOwnError = (error: unknown, version: string): string =>
  [
    'This is an error of the command, not of the service. Please report these lines:',
    `  version ${version}, Node ${process.versions.node}, ${process.platform}`,
    error instanceof Error ? `${error.stack}` : String(error),
  ].join('\n');

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'string', multiple: true } as const;
const SWITCH = { type: 'boolean' } as const;

/** The options of the command, as parseArgs takes them; the help below lists the same. */
const OPTIONS = {
  spec: TEXT,
  'base-path': TEXT,
  header: TEXTS,
  token: TEXT,
  basic: TEXT,
  'api-key': TEXTS,
  webhooks: TEXT,
  'webhook-secret': TEXT,
  include: TEXTS,
  exclude: TEXTS,
  phase: TEXTS,
  requests: TEXT,
  seed: TEXT,
  'fail-fast': SWITCH,
  time: TEXT,
  timeout: TEXT,
  'max-response-time': TEXT,
  rate: TEXT,
  concurrency: TEXT,
  report: TEXTS,
  help: SWITCH,
};

/** Keeps the first sentence of parseArgs's long messages. */
const shorten = ({ message }: Error): string =>
  message
    .split(/\. |\n/, 1)
    .join('')
    .replace(/^./, (letter) => letter.toLowerCase());

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw error instanceof TypeError ? usage(`${shorten(error)}; see --help`) : error;
  }
};

/** Reads the command line: the URL, and the raw options. */
export const readArguments = (args: readonly string[]) => {
  const { values, positionals } = parse(args);
  const [url, ...others] = positionals;
  if (others[0] !== undefined) throw usage(`"${others[0]}" is one word too many; see --help`);
  return { ...values, url };
};

/** The raw options of the command line. */
export type Given = ReturnType<typeof readArguments>;

/** Renders `--help`; `program` is the command line that starts the command: `my-service test`. */
export const renderHelp = (program: string): string =>
  `Does a service do what its contract says? Sends requests made from the contract, checks each reply.

Usage: ${program} URL [OPTIONS]
       ${program.replace(/ --$/, '')}
The URL may end in the path of the contract's first server, or leave it out. Without a URL it starts
the service of this project, on an empty store that it removes afterwards.

The contract and its service:
  --spec FILE|URL           the contract; by default that of this project
  --base-path PATH          the service's BASE_PATH, if it has one
  --header 'NAME: VALUE' …  sent with every request

Credentials:
  --token TOKEN             for http bearer (oauth2 and openIdConnect too)
  --basic USER:PASSWORD     for http basic
  --api-key NAME=VALUE …    for apiKey: the name of its header, query parameter or cookie

Webhooks and callbacks:
  --webhooks PORT|URL       receive and check them on this port of 127.0.0.1, or at a URL with a
                            port where the service reaches this machine; the service sends its
                            webhooks to URL/webhooks/NAME
  --webhook-secret whsec_…  check their signatures, as Standard Webhooks says

What is tested:
  --include PATTERN …       only these operations: createThing, tag:admin, GET, /things/*,
                            'DELETE /things/*'; * matches any text
  --exclude PATTERN …       skip these operations
  --phase NAME …            only this phase
  --requests N              valid requests per operation, 100 by default; invalid ones come on top
  --seed N                  repeat the requests of an earlier run

Limits:
  --fail-fast               stop after the first operation that fails
  --time DURATION           stop the run after this time: 90s, 5m, 1h
  --timeout MS              how long to wait for a reply, 10000 by default
  --max-response-time MS    a reply that takes longer is a failure
  --rate N                  requests per second, at most
  --concurrency N           concurrent requests, at most

Others:
  --report KIND=FILE …      junit=report.xml or json=report.json, written at the end
  --help                    show this help

An option with … may be repeated. The requests change what the service stores: use no data that
matters.

Exit codes: 0 the service keeps its contract, 1 it breaks it, 2 wrong usage, 3 the contract cannot
be read, 4 no service answers or it stopped answering, 70 an error of this program, 130 interrupted.

Examples:
  ${program} http://127.0.0.1:3000 --token "$(cat data/access-token)"
  ${program} https://staging.example.com/v1 --token "$TOKEN" --time 5m
  ${program} http://127.0.0.1:3000 --token "$TOKEN" --include 'tag:orders' --seed 41`;
