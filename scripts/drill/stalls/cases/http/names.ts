import { TOKEN } from '../../../plant-store.ts';
import type { Some } from '../../../random.ts';
import {
  askHard,
  asks,
  HEAD_LIMIT,
  type MakeCase,
  type StallClass,
  toPlants,
  writeRequest,
} from '../../case.ts';
import { list } from '../../texts.ts';

const ROOM = HEAD_LIMIT - 300;

const LIST_OF_IDS = { type: 'array', items: { type: 'integer', format: 'int64' } };
const UNION = {
  anyOf: Array.from({ length: 10 }, (_, nth) => ({
    type: 'array',
    items: { type: 'integer', maximum: nth },
  })),
};

const PARAMETERS = [
  { name: 'ids', in: 'query', schema: LIST_OF_IDS },
  { name: 'piped', in: 'query', style: 'pipeDelimited', explode: false, schema: LIST_OF_IDS },
  {
    name: 'deep',
    in: 'query',
    style: 'deepObject',
    schema: { type: 'object', additionalProperties: { type: 'integer' } },
  },
  { name: 'union', in: 'query', schema: UNION },
  { name: 'json', in: 'query', content: { 'application/json': { schema: { type: 'array' } } } },
  { name: 'X-Ids', in: 'header', schema: LIST_OF_IDS },
  { name: 'session', in: 'cookie', schema: LIST_OF_IDS },
];

const VALUES: Some<string> = ['1', 'a', '', '%41', '+', '1e1', '9007199254740993', '%00', '%'];

const queryOf =
  (name: string): MakeCase =>
  (random) => {
    const value = random.pick(VALUES);
    return askHard(
      `/search?${list((nth) => `${name.replace('*', `${nth}`)}=${value}`, ROOM, '&')}`,
      `many ${name}=${value}`,
    );
  };

/** A valid create with many header fields before Content-Length. The service must read all of them or refuse. */
const fieldsBefore = (count: number, name: (nth: number) => string): Buffer =>
  writeRequest(
    'POST /plants',
    [
      `Authorization: Bearer ${TOKEN}`,
      'Content-Type: application/json',
      ...Array.from({ length: count }, (_, nth) => `${name(nth)}:`),
    ],
    '{"id":9000000000000000001,"name":"a"}',
  );

/** Thousands of names in a query, a cookie or a header. */
export const NAMES: StallClass = {
  title: 'queries, cookies and header fields',
  paths: { '/search': asks('search', PARAMETERS) },
  cases: {
    'a list': queryOf('ids'),
    'names in brackets': queryOf('deep[*]'),
    'a union': queryOf('union'),
    'names that nobody declared': queryOf('n*'),
    'one value of many': (random) => {
      const [separator, value] = [random.pick(['|', '%7C', ','] as const), random.pick(VALUES)];
      return askHard(`/search?piped=${list(() => value, ROOM, separator)}`, `many ${value}${separator}`);
    },
    'JSON in a query': (random) => {
      const unit = random.pick(['[', '["%5Cu0000",', '1,', '{"a":'] as const);
      return askHard(`/search?json=${unit.repeat(Math.floor(ROOM / unit.length))}`, `many ${unit}`);
    },
    'JSON in a query, as it should be': (random) => {
      const depth = random.pick([10, 1000, 8000] as const);
      return askHard(`/search?json=${'['.repeat(depth)}${']'.repeat(depth)}`, `${depth} deep`);
    },
    'long encodings': (random) => {
      const unit = random.pick(['%41', '+', '%C3%A9', '&', '=', '%', '?'] as const);
      return askHard(`/search?a=${unit.repeat(Math.floor(ROOM / unit.length))}`, `many ${unit}`);
    },
    cookies: (random) => {
      const name = random.pick(['session', 'n*', ''] as const);
      const text = list(
        (nth) => `${name.replace('*', `${nth}`)}=1`,
        ROOM,
        random.pick(['; ', ';', ';   '] as const),
      );
      return askHard('/search', `many cookies ${name}`, [`Cookie: ${text}`]);
    },
    'a cookie of spaces': (random) => {
      const unit = random.pick([' ', '; ', ';', '=', '"', ', '] as const);
      return askHard('/search', `many ${unit}`, [`Cookie: a${unit.repeat(Math.floor(ROOM / unit.length))}a`]);
    },
    'a header of a list': (random) => {
      const unit = random.pick(['1,', ',', ' ,', '\t', ' ', '1 '] as const);
      return askHard('/search', `many ${JSON.stringify(unit)}`, [
        `X-Ids: 1${unit.repeat(Math.floor(ROOM / unit.length))}1`,
      ]);
    },
    'one header field, many times': (random) => {
      const name = random.pick([
        'X-Ids',
        'Accept',
        'a',
        'Cookie',
        'X-Request-Id',
        'X-Forwarded-Prefix',
      ] as const);
      const count = Math.floor(ROOM / (name.length + 5));
      return askHard(
        '/search',
        `many ${name}`,
        Array.from({ length: count }, () => `${name}: 1`),
      );
    },
    'many header fields before the length': (random) => {
      const count = random.between(1100, 2700);
      const bytes = fieldsBefore(count, (nth) => nth.toString(36));
      return { to: 'default', bytes, expects: [200, 431], note: `${count} fields` };
    },
    'a media type without end': (random) => {
      const unit = random.pick([';a=b', ';', ' ', '; charset="', '\\', '/'] as const);
      const type = `application/json${unit.repeat(Math.floor(ROOM / unit.length))}`;
      return toPlants('{"id":1,"name":"a"}', `many ${unit}`, [`Content-Type: ${type}`]);
    },
  },
};
