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

const SERVICE: Group = {
  title: 'The service and its contract',
  options: [
    {
      name: 'url',
      value: 'URL',
      about: ["its address, with or without the path of the contract's first server"],
    },
    {
      name: 'spec',
      value: 'FILE|URL',
      about: ['the contract; by default openapi.yaml in this folder,', 'else what the service itself serves'],
    },
    { name: 'base-path', value: 'PATH', about: ["the service's BASE_PATH, if it has one"] },
    { name: 'header', value: "'NAME: VALUE'", isRepeatable: true, about: ['sent with every request'] },
  ],
};

const CREDENTIALS: Group = {
  title: 'Credentials',
  options: [
    { name: 'token', value: 'TOKEN', about: ['for http bearer (oauth2 and openIdConnect too)'] },
    { name: 'basic', value: 'USER:PASSWORD', about: ['for http basic'] },
    {
      name: 'api-key',
      value: 'NAME=VALUE',
      isRepeatable: true,
      about: ['for apiKey: the name of its header, query parameter or cookie'],
    },
  ],
};

const SCOPE: Group = {
  title: 'What is tested',
  options: [
    {
      name: 'include',
      value: 'PATTERN',
      isRepeatable: true,
      about: [
        'only these operations: createThing, tag:admin, GET, /things/*,',
        "'DELETE /things/*'; * stands for any text",
      ],
    },
    { name: 'exclude', value: 'PATTERN', isRepeatable: true, about: ['all but these operations'] },
    { name: 'operation', value: 'ID', about: ['only this operation'] },
    { name: 'phase', value: 'NAME', isRepeatable: true, about: ['only this phase'] },
    { name: 'skip-phase', value: 'NAME', isRepeatable: true, about: ['all phases but this'] },
    {
      name: 'requests',
      value: 'N',
      about: ['valid requests per operation, 100 by default; invalid ones come on top'],
    },
    { name: 'seed', value: 'N', about: ['repeat the requests of an earlier run'] },
  ],
};

const LIMITS: Group = {
  title: 'Limits',
  options: [
    { name: 'fail-fast', about: ['stop after the first operation that fails'] },
    { name: 'time', value: 'DURATION', about: ['stop in time: 90s, 5m, 1h'] },
    { name: 'timeout', value: 'MS', about: ['how long to wait for a reply, 10000 by default'] },
    { name: 'max-response-time', value: 'MS', about: ['a reply that takes longer is a failure'] },
    { name: 'rate', value: 'N', about: ['at most so many requests a second'] },
    { name: 'concurrency', value: 'N', about: ['at most so many requests at once'] },
  ],
};

const REPORTS: Group = {
  title: 'Reports and cases',
  options: [
    {
      name: 'report',
      value: 'KIND=FILE',
      isRepeatable: true,
      about: ['junit=report.xml or json=report.json, written at the end'],
    },
    { name: 'save', value: 'FILE', about: ['write the failing requests to a file'] },
    { name: 'replay', value: 'FILE', about: ['send the requests of such a file again, and nothing else'] },
  ],
};

const OTHERS: Group = {
  title: 'Others',
  options: [
    {
      name: 'config',
      value: 'FILE',
      about: ['options in YAML or JSON; contract-tests.yaml by default, if there is one'],
    },
    { name: 'help', about: ['show this help'] },
  ],
};

/** The options of the command, as the help shows them. */
const GROUPS: readonly Group[] = [SERVICE, CREDENTIALS, SCOPE, LIMITS, REPORTS, OTHERS];

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
