import { askHard, type Choices, type MakeCase, type StallClass, toHard } from '../../case.ts';
import { asks, takes } from '../../document.ts';
import { fill } from '../../texts.ts';

/** For each format: starts, and units to repeat after them. */
const TEXTS: Readonly<
  Record<string, { readonly starts: readonly string[]; readonly pumps: readonly string[] }>
> = {
  url: {
    starts: ['http://', 'http://a', 'ftp://a:', 'http://a.', ''],
    pumps: [':', '/', 'a', 'a.', '@', '%41', '-', 'a-', '1.', '\u00e9'],
  },
  uri: {
    starts: ['a:', 'a://', 'http://[', 'a:?', 'a:#'],
    pumps: [':', '/', 'a', '%41', '@', '[', '::', '1.', '?', "'"],
  },
  'uri-reference': {
    starts: ['', '//', '/', '?', '#', '//['],
    pumps: [':', '/', 'a', '%41', '@', '::', '1.', 'a/'],
  },
  'uri-template': { starts: ['', 'http://a/'], pumps: ['{a}', '{', '{a,', '{+a*}', '{a:1}', '%41', 'a'] },
  iri: { starts: ['a:', 'a://'], pumps: [':', '\u00e9', '%41'] },
  email: { starts: ['', 'a@', 'a.', '"'], pumps: ['a', '.', 'a.', '@', 'a-', "'", '-', 'a@'] },
  hostname: { starts: ['', 'a', 'a.'], pumps: ['a', 'a.', '-', 'a-', '1', '.', 'xn--'] },
  'date-time': {
    starts: ['', '2020-01-01T00:00:00.', '2020-01-01'],
    pumps: ['1', 'T', ':', '-', '0', 'Z', ' '],
  },
  date: { starts: ['', '2020-01-'], pumps: ['1', '-'] },
  time: { starts: ['', '00:00:00.'], pumps: ['1', ':', '0'] },
  duration: { starts: ['P', 'PT', 'P1'], pumps: ['1', 'Y', '1Y', 'T', 'D', '1M', '1S'] },
  regex: {
    starts: ['', '(', '[', '^'],
    pumps: ['(', '(a', 'a*', '[', '(?:', '|', '(a+)+', '\\', '{1,', 'a{9999}'],
  },
  byte: { starts: ['', '='], pumps: ['A', '=', 'AA==', 'A\n', '<', '+/', ' '] },
  uuid: { starts: ['', 'urn:uuid:', '01234567-'], pumps: ['0', '-', '0-', 'a'] },
  ipv4: { starts: ['', '1.'], pumps: ['1', '1.', '.', '255.'] },
  ipv6: { starts: ['', '::', '1:'], pumps: [':', '1:', '::', '0', '1.', 'ffff:'] },
  'json-pointer': { starts: ['', '/'], pumps: ['/', '~', '~0', '~1/', '~2', 'a', '/a'] },
  'relative-json-pointer': { starts: ['1', '1/'], pumps: ['1', '/', '~', '#'] },
  password: { starts: [''], pumps: ['a', '\\u0001'] },
  binary: { starts: [''], pumps: ['a'] },
};

const ENDS = ['', '!', ' ', '@', '\u00e9', '"', '\n', '.', '/', ':'];
const NAMES = Object.keys(TEXTS);

/** Makes a text for a format: a start, one unit many times, sometimes then another, and an end that makes it invalid. */
const pump = ({ pick }: Choices, name: string, room: number): string => {
  const { starts, pumps } = TEXTS[name] ?? { starts: [''], pumps: ['a'] };
  const second = pick('', '', '', '', pick(...pumps));
  const half = second === '' ? room : room / 2;
  return pick(...starts) + fill(pick(...pumps), half) + (second && fill(second, half)) + pick(...ENDS);
};

const inBody =
  (name: string): MakeCase =>
  (choices) =>
    toHard('/formats', JSON.stringify({ [name]: pump(choices, name, 49_000) }));

const inQuery: MakeCase = (choices) => {
  const name = choices.pick(...NAMES);
  return askHard(`/formats?${name}=${encodeURIComponent(pump(choices, name, 4500))}`);
};

const schemaOf = (format: string): object => ({ type: 'string', format });

/** Long texts for formats, whose patterns and functions were written for short ones. */
export const FORMATS: StallClass = {
  title: 'formats',
  paths: {
    '/formats': {
      ...takes('takeFormats', {
        type: 'object',
        properties: Object.fromEntries(NAMES.map((name) => [name, schemaOf(name)])),
      }),
      ...asks(
        'askFormats',
        NAMES.map((name) => ({ name, in: 'query', schema: schemaOf(name) })),
      ),
    },
  },
  cases: {
    ...Object.fromEntries(NAMES.map((name) => [name, inBody(name)])),
    'url, again': inBody('url'),
    'email, again': inBody('email'),
    'in a query': inQuery,
    'in a query, again': inQuery,
    'byte that is none, on several lines': () => ({
      ...toHard('/formats', JSON.stringify({ byte: '<script>\nQUJD\n' })),
      expects: [400],
    }),
  },
};
