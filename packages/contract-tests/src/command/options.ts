/** An option of the command, which is also a key of the config file. */
export interface Option {
  readonly name: string;
  /** What its value is called in the help; an option without one is a switch. */
  readonly value?: string;
  readonly isRepeatable?: true;
  /** Lines of help. */
  readonly about: readonly string[];
}

/** Options that belong together. */
interface Group {
  readonly title: string;
  readonly options: readonly Option[];
}

const option = (name: string, value: string | undefined, ...about: readonly string[]): Option => ({
  name,
  ...(value !== undefined && { value }),
  about,
});
const repeatable = (name: string, value: string, ...about: readonly string[]): Option => ({
  ...option(name, value, ...about),
  isRepeatable: true,
});

/** The options of the command, as the help shows them. */
const GROUPS: readonly Group[] = [
  {
    title: 'The service and its contract',
    options: [
      option('url', 'URL', "its address, with or without the path of the contract's first server"),
      option(
        'spec',
        'FILE|URL',
        'the contract; by default openapi.yaml in this folder,',
        'else what the service itself serves',
      ),
      option('base-path', 'PATH', "the service's BASE_PATH, if it has one"),
      repeatable('header', "'NAME: VALUE'", 'sent with every request'),
    ],
  },
  {
    title: 'Credentials',
    options: [
      option('token', 'TOKEN', 'for http bearer (oauth2 and openIdConnect too)'),
      option('basic', 'USER:PASSWORD', 'for http basic'),
      repeatable('api-key', 'NAME=VALUE', 'for apiKey: the name of its header, query parameter or cookie'),
    ],
  },
  {
    title: 'Webhooks and callbacks',
    options: [
      option(
        'webhooks',
        'PORT|URL',
        'receive and check them on this port of 127.0.0.1, or at a URL with a',
        'port where the service reaches this machine; the service sends its',
        'webhooks to URL/webhooks/NAME',
      ),
      option('webhook-secret', 'whsec_…', 'check their signatures, as Standard Webhooks says'),
    ],
  },
  {
    title: 'What is tested',
    options: [
      repeatable(
        'include',
        'PATTERN',
        'only these operations: createThing, tag:admin, GET, /things/*,',
        "'DELETE /things/*'; * stands for any text",
      ),
      repeatable('exclude', 'PATTERN', 'all but these operations'),
      option('operation', 'ID', 'only this operation'),
      repeatable('phase', 'NAME', 'only this phase'),
      repeatable('skip-phase', 'NAME', 'all phases but this'),
      option('requests', 'N', 'valid requests per operation, 100 by default; invalid ones come on top'),
      option('seed', 'N', 'repeat the requests of an earlier run'),
    ],
  },
  {
    title: 'Limits',
    options: [
      option('fail-fast', undefined, 'stop after the first operation that fails'),
      option('time', 'DURATION', 'stop in time: 90s, 5m, 1h'),
      option('timeout', 'MS', 'how long to wait for a reply, 10000 by default'),
      option('max-response-time', 'MS', 'a reply that takes longer is a failure'),
      option('rate', 'N', 'at most so many requests a second'),
      option('concurrency', 'N', 'at most so many requests at once'),
    ],
  },
  {
    title: 'Reports and cases',
    options: [
      repeatable('report', 'KIND=FILE', 'junit=report.xml or json=report.json, written at the end'),
      option('save', 'FILE', 'write the failing requests to a file'),
      option('replay', 'FILE', 'send the requests of such a file again, and nothing else'),
    ],
  },
  {
    title: 'Others',
    options: [
      option('config', 'FILE', 'options in YAML or JSON; contract-tests.yaml by default, if there is one'),
      option('help', undefined, 'show this help'),
    ],
  },
];

/** All options. */
export const OPTIONS: readonly Option[] = GROUPS.flatMap(({ options }) => options);

/** The values of options by name, as they were written. A switch has the value `true` or `false`. */
export type Given = ReadonlyMap<string, readonly string[]>;

/** Where the help of an option begins. */
const COLUMN = 28;

const renderOption = ({ name, value, isRepeatable, about }: Option): string[] => {
  const left = `  --${name}${value === undefined ? '' : ` ${value}`}${isRepeatable ? ' …' : ''}`;
  return about.map((line, index) => (index === 0 ? left : '').padEnd(COLUMN) + line);
};

/** The text of `--help`, for the command as it was called: `my-service test`. */
export const renderHelp = (program: string): string =>
  `Does a service do what its contract says? Sends requests made from the contract, checks each reply.

Usage: ${program} URL [OPTIONS]
       ${program.replace(/ --$/, '')}
Without a URL it starts the service of this project, on an empty store that it removes afterwards.

${GROUPS.map(({ title, options }) => [`${title}:`, ...options.flatMap(renderOption)].join('\n')).join('\n\n')}

An option with … may be repeated. Options may stand in the config file too, the secret ones as
\${VARIABLE} of the environment; the command line wins. The requests change what the service
stores: use no data that matters.

Exit codes: 0 the service keeps its contract, 1 it breaks it, 2 wrong usage, 3 the contract cannot
be read, 4 no service answers or it went away, 70 an error of this program.

Examples:
  ${program} http://127.0.0.1:3000 --token "$(cat data/access-token)"
  ${program} https://staging.example.com/v1 --token "$TOKEN" --time 5m
  ${program} http://127.0.0.1:3000 --token "$TOKEN" --include 'tag:orders' --seed 41`;
