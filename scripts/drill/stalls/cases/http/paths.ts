import { parameterNamesIn } from '../../../../../packages/openapi/src/document/path-item.ts';
import { askHard, type MakeCase, type StallClass } from '../../case.ts';
import { asks } from '../../document.ts';
import { fill, HEAD_ROOM } from '../../texts.ts';

/** Templates, and texts that stand between their parameters. */
const TEMPLATES: readonly (readonly [path: string, pumps: readonly string[]])[] = [
  ['/reports/{year}-{month}-{day}.json', ['-', '-1', '.json', 'a', '-.json']],
  ['/ranges/{from}..{to}', ['.', '..', 'a..', 'a']],
  ['/files/{name}.{kind}.{coding}', ['.', 'a.', 'a']],
  ['/tiles/{z},{x},{y},{scale}@{density}x.png', [',', '@', 'x', 'x.png', ',1']],
  ['/versions/v{major}.{minor}/items/{id}', ['.', 'v', 'v.', '1.']],
];
const LONG = ['/a/{x}/a/{y}/a/{z}', '/a/a/{x}/a/{y}/a'];

const itemOf = (path: string, nth: number): object =>
  asks(
    `askTemplate${nth}`,
    parameterNamesIn(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
  );

const pumped: MakeCase = ({ pick }) => {
  const [path, pumps] = pick(...TEMPLATES);
  const end = pick('', '!', '/', '/items/', '/items/1', '.json', '%', '?a');
  return askHard(path.slice(0, path.indexOf('{')) + fill(pick(...pumps), HEAD_ROOM - 20) + end);
};

/** Long paths for templates with several parameters. No token is needed to make the service match them. */
export const PATHS: StallClass = {
  title: 'path templates',
  paths: Object.fromEntries(
    [...TEMPLATES.map(([path]) => path), ...LONG].map((path, nth) => [path, itemOf(path, nth)]),
  ),
  cases: {
    pumped,
    'pumped, again': pumped,
    'pumped, once more': pumped,
    'many segments': ({ pick }) => askHard(fill(pick('/a', '/', '/%61', '/..', '/a;a=1'), HEAD_ROOM)),
    'long encodings': ({ pick }) => {
      const unit = pick('%41', '%2e', '%2f', '%C3%A9', '%00', '%', '%4', '%ff');
      return askHard(`/reports/${fill(unit, HEAD_ROOM)}${pick('', '-1-1.json')}`);
    },
    'absolute targets': ({ pick }) =>
      askHard(`http://${fill(pick('a', '.', ':', '@', '%41', '-'), HEAD_ROOM)}/reports/1-1-1.json`),
  },
};
