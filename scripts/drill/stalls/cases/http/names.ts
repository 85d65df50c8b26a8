import { JSON_TYPE } from '../../../wire.ts';
import { askHard, type MakeCase, type StallClass, toPlants } from '../../case.ts';
import { asks, INT64, listOf } from '../../document.ts';
import { fill, HEAD_ROOM, list } from '../../texts.ts';

const IDS = listOf(INT64);
const UNION = { anyOf: Array.from({ length: 10 }, (_, nth) => listOf({ type: 'integer', maximum: nth })) };
const MAP = { type: 'object', additionalProperties: { type: 'integer' } };

const PARAMETERS = [
  { name: 'ids', in: 'query', schema: IDS },
  { name: 'piped', in: 'query', style: 'pipeDelimited', explode: false, schema: IDS },
  { name: 'deep', in: 'query', style: 'deepObject', schema: MAP },
  { name: 'union', in: 'query', schema: UNION },
  { name: 'json', in: 'query', content: { 'application/json': { schema: { type: 'array' } } } },
  { name: 'X-Ids', in: 'header', schema: IDS },
  { name: 'session', in: 'cookie', schema: IDS },
];

const VALUES = ['1', 'a', '', '%41', '+', '1e1', '9007199254740993', '%00', '%'];
const FIELDS = ['X-Ids', 'Accept', 'a', 'Cookie', 'X-Request-Id', 'X-Forwarded-Prefix'];

/** As many pairs as there is room for. A star in the name stands for the index. */
const pairs = (name: string, value: string, between: string): string =>
  list((nth) => `${name.replace('*', `${nth}`)}=${value}`, HEAD_ROOM, between);

const queryOf =
  (name: string): MakeCase =>
  ({ pick }) =>
    askHard(`/search?${pairs(name, pick(...VALUES), '&')}`);

/** Thousands of names in a query, a cookie or a header. */
export const NAMES: StallClass = {
  title: 'queries, cookies and header fields',
  paths: { '/search': asks('search', PARAMETERS) },
  cases: {
    'a list': queryOf('ids'),
    'names in brackets': queryOf('deep[*]'),
    'a union': queryOf('union'),
    'names that nobody declared': queryOf('n*'),
    'one value of many': ({ pick }) =>
      askHard(`/search?piped=${list(pick(...VALUES), HEAD_ROOM, pick('|', '%7C', ','))}`),
    'JSON in a query': ({ pick }) =>
      askHard(`/search?json=${fill(pick('[', '["%5Cu0000",', '1,', '{"a":'), HEAD_ROOM)}`),
    'JSON in a query, as it should be': ({ pick }) => {
      const depth = pick(10, 1000, 8000);
      return askHard(`/search?json=${'['.repeat(depth)}${']'.repeat(depth)}`);
    },
    'long encodings': ({ pick }) =>
      askHard(`/search?a=${fill(pick('%41', '+', '%C3%A9', '&', '=', '%', '?'), HEAD_ROOM)}`),
    cookies: ({ pick }) =>
      askHard('/search', [`Cookie: ${pairs(pick('session', 'n*', ''), '1', pick('; ', ';', ';   '))}`]),
    'a cookie of spaces': ({ pick }) =>
      askHard('/search', [`Cookie: a${fill(pick(' ', '; ', ';', '=', '"', ', '), HEAD_ROOM)}a`]),
    'a header of a list': ({ pick }) =>
      askHard('/search', [`X-Ids: 1${fill(pick('1,', ',', ' ,', '\t', ' ', '1 '), HEAD_ROOM)}1`]),
    'one header field, many times': ({ pick }) => {
      const field = `${pick(...FIELDS)}: 1`;
      return askHard('/search', list(field, HEAD_ROOM, '\r\n').split('\r\n'));
    },
    // The service must read all of them, the length behind them included, or refuse.
    'many header fields before the length': ({ between }) => {
      const fields = Array.from({ length: between(1100, 2700) }, (_, nth) => `${nth.toString(36)}:`);
      const plant = '{"id":9000000000000000001,"name":"a"}';
      return { ...toPlants(plant, [JSON_TYPE, ...fields]), expects: [200, 431] };
    },
    'a media type without end': ({ pick }) => {
      const parameters = fill(pick(';a=b', ';', ' ', '; charset="', '\\', '/'), HEAD_ROOM);
      return toPlants('{"id":1,"name":"a"}', [JSON_TYPE + parameters]);
    },
  },
};
