import type { Random, Some } from '../../../random.ts';
import { askHard, asks, HEAD_LIMIT, type MakeCase, type StallClass } from '../../case.ts';

const parameter = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
});

/** Templates, their parameters, and texts that stand between the parameters. */
const TEMPLATES: Some<readonly [path: string, names: readonly string[], pumps: Some<string>]> = [
  ['/reports/{year}-{month}-{day}.json', ['year', 'month', 'day'], ['-', '-1', '.json', 'a', '-.json']],
  ['/ranges/{from}..{to}', ['from', 'to'], ['.', '..', 'a..', 'a']],
  ['/files/{name}.{kind}.{coding}', ['name', 'kind', 'coding'], ['.', 'a.', 'a']],
  [
    '/tiles/{z},{x},{y},{scale}@{density}x.png',
    ['z', 'x', 'y', 'scale', 'density'],
    [',', '@', 'x', 'x.png', ',1'],
  ],
  ['/versions/v{major}.{minor}/items/{id}', ['major', 'minor', 'id'], ['.', 'v', 'v.', '1.']],
];

const ROOM = HEAD_LIMIT - 200;

const aim = (random: Random, wrap: (pumped: string) => string): string => {
  const [path, , pumps] = random.pick(TEMPLATES);
  const folder = path.slice(0, path.indexOf('{'));
  const pump = random.pick(pumps);
  return wrap(folder + pump.repeat(Math.floor(ROOM / pump.length)));
};

const pumped: MakeCase = (random) => {
  const end = random.pick(['', '!', '/', '/items/', '/items/1', '.json', '%', '?a'] as const);
  const target = aim(random, (text) => text.slice(0, ROOM - end.length) + end);
  return askHard(target, `${target.slice(0, 30)}…${end}`);
};

/** Long paths for templates with several parameters. No token is needed to make the service match them. */
export const PATHS: StallClass = {
  title: 'path templates',
  paths: {
    ...Object.fromEntries(
      TEMPLATES.map(([path, names], nth) => [path, asks(`askTemplate${nth}`, names.map(parameter))]),
    ),
    '/a/{x}/a/{y}/a/{z}': asks('askLong', ['x', 'y', 'z'].map(parameter)),
    '/a/a/{x}/a/{y}/a': asks('askLonger', ['x', 'y'].map(parameter)),
  },
  cases: {
    pumped,
    'pumped, again': pumped,
    'pumped, once more': pumped,
    'many segments': (random) => {
      const segment = random.pick(['/a', '/', '/%61', '/..', '/a;a=1'] as const);
      return askHard(segment.repeat(Math.floor(ROOM / segment.length)), `many ${segment}`);
    },
    'long encodings': (random) => {
      const unit = random.pick(['%41', '%2e', '%2f', '%C3%A9', '%00', '%', '%4', '%ff'] as const);
      const target = `/reports/${unit.repeat(Math.floor(ROOM / unit.length))}`;
      return askHard(random.chance(0.5) ? `${target}-1-1.json` : target, `many ${unit}`);
    },
    'absolute targets': (random) => {
      const unit = random.pick(['a', '.', ':', '@', '%41', '-'] as const);
      return askHard(
        `http://${unit.repeat(Math.floor(ROOM / unit.length))}/reports/1-1-1.json`,
        `many ${unit}`,
      );
    },
  },
};
