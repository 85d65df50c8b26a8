import { GROUPS, type Option } from './options.ts';

/** Where the help of an option begins. */
const COLUMN = 28;

const renderOption = ({ name, value, isRepeatable, about }: Option): string[] => {
  const left = `  --${name}${value === undefined ? '' : ` ${value}`}${isRepeatable ? ' …' : ''}`;
  return about.map((line, index) => (index === 0 ? left : '').padEnd(COLUMN) + line);
};

/** The text of `--help`, for the command as it was called: `my-service test`. */
export const renderHelp = (program: string, startsService: boolean): string =>
  `Does a service do what its contract says? Sends requests made from the contract, checks each reply.

Usage: ${program} URL [OPTIONS]${startsService ? `\n       ${program.replace(/ --$/, '').padEnd(program.length)}                 starts the service of this project for the test` : ''}

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
