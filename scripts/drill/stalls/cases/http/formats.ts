import type { Random, Some } from '../../../random.ts';
import { askHard, asks, type StallClass, takes, toHard } from '../../case.ts';

/** For each format: starts, and units to repeat after them. */
const FORMATS: Readonly<Record<string, readonly [starts: Some<string>, pumps: Some<string>]>> = {
  url: [
    ['http://', 'http://a', 'ftp://a:', 'http://a.', ''],
    [':', '/', 'a', 'a.', '@', '%41', '-', 'a-', '1.', '\u00e9'],
  ],
  uri: [
    ['a:', 'a://', 'http://[', 'a:?', 'a:#'],
    [':', '/', 'a', '%41', '@', '[', '::', '1.', '?', "'"],
  ],
  'uri-reference': [
    ['', '//', '/', '?', '#', '//['],
    [':', '/', 'a', '%41', '@', '::', '1.', 'a/'],
  ],
  'uri-template': [
    ['', 'http://a/'],
    ['{a}', '{', '{a,', '{+a*}', '{a:1}', '%41', 'a'],
  ],
  iri: [
    ['a:', 'a://'],
    [':', '\u00e9', '%41'],
  ],
  email: [
    ['', 'a@', 'a.', '"'],
    ['a', '.', 'a.', '@', 'a-', "'", '-', 'a@'],
  ],
  hostname: [
    ['', 'a', 'a.'],
    ['a', 'a.', '-', 'a-', '1', '.', 'xn--'],
  ],
  'date-time': [
    ['', '2020-01-01T00:00:00.', '2020-01-01'],
    ['1', 'T', ':', '-', '0', 'Z', ' '],
  ],
  date: [
    ['', '2020-01-'],
    ['1', '-'],
  ],
  time: [
    ['', '00:00:00.'],
    ['1', ':', '0'],
  ],
  duration: [
    ['P', 'PT', 'P1'],
    ['1', 'Y', '1Y', 'T', 'D', '1M', '1S'],
  ],
  regex: [
    ['', '(', '[', '^'],
    ['(', '(a', 'a*', '[', '(?:', '|', '(a+)+', '\\', '{1,', 'a{9999}'],
  ],
  byte: [
    ['', '='],
    ['A', '=', 'AA==', 'A\n', '<', '+/', ' '],
  ],
  uuid: [
    ['', 'urn:uuid:', '01234567-'],
    ['0', '-', '0-', 'a'],
  ],
  ipv4: [
    ['', '1.'],
    ['1', '1.', '.', '255.'],
  ],
  ipv6: [
    ['', '::', '1:'],
    [':', '1:', '::', '0', '1.', 'ffff:'],
  ],
  'json-pointer': [
    ['', '/'],
    ['/', '~', '~0', '~1/', '~2', 'a', '/a'],
  ],
  'relative-json-pointer': [
    ['1', '1/'],
    ['1', '/', '~', '#'],
  ],
  password: [[''], ['a', '\\u0001']],
  binary: [[''], ['a']],
};

const ENDS: Some<string> = ['', '!', ' ', '@', '\u00e9', '"', '\n', '.', '/', ':'];

const NAMES = Object.keys(FORMATS);

/** Makes a text for a format: a start, one unit many times, and an end that makes the text invalid. */
const pump = (random: Random, name: string, room: number) => {
  const [starts, pumps] = FORMATS[name] ?? [[''], ['a']];
  const [start, unit, end] = [random.pick(starts), random.pick(pumps), random.pick(ENDS)];
  const second = random.chance(0.2) ? random.pick(pumps) : '';
  const times = Math.floor((room - start.length - end.length) / Buffer.byteLength(unit + second));
  const text = start + unit.repeat(times) + second.repeat(times) + end;
  return {
    text,
    note: `${name}: ${JSON.stringify(start)}, ${times} × ${JSON.stringify(unit + second)}, ${JSON.stringify(end)}`,
  };
};

const inBody = (name: string) => (random: Random) => {
  const { text, note } = pump(random, name, 49_000);
  return toHard('/formats', JSON.stringify({ [name]: text }), note);
};

const inQuery = (random: Random) => {
  const name = NAMES[random.below(NAMES.length)] ?? 'url';
  const { text, note } = pump(random, name, 4500);
  return askHard(`/formats?${name}=${encodeURIComponent(text)}`, note);
};

const schemaOf = (format: string): object => ({ type: 'string', format });

/** Long texts for formats, whose patterns and functions were written for short ones. */
export const FORMATS_CLASS: StallClass = {
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
      ...toHard('/formats', JSON.stringify({ byte: '<script>\nQUJD\n' }), 'byte'),
      expects: [400],
    }),
  },
};
