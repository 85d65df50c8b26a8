import { type MakeCase, type StallClass, toHard } from '../../case.ts';
import { INT64, listOf, takes } from '../../document.ts';
import { BODY_ROOM, fill, list } from '../../texts.ts';

const TYPE = 'application/x-www-form-urlencoded';

/** Twenty slightly different lists. The service tries a value as each of them. */
const LISTS = Array.from({ length: 20 }, (_, nth) =>
  listOf(nth % 2 === 0 ? { type: 'integer', maximum: nth } : { type: 'string', maxLength: nth }),
);

const SCHEMA = {
  type: 'object',
  properties: {
    any: { anyOf: LISTS },
    one: { oneOf: LISTS },
    ids: listOf(INT64),
    deep: { type: 'object', additionalProperties: INT64 },
    other: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'string' } } },
    piped: listOf({ type: 'integer' }),
    spaced: listOf({ type: 'string' }),
    json: { type: 'object', additionalProperties: listOf({ type: 'integer' }) },
  },
};

const ENCODING = {
  deep: { style: 'deepObject', explode: true },
  piped: { style: 'pipeDelimited', explode: false },
  spaced: { style: 'spaceDelimited', explode: false },
  json: { contentType: 'application/json' },
};

const VALUES = ['1', 'a', '', '%41', '+', '9007199254740993', '1e1', '%', 'aaaaaaaaaaaaaaaaaaaaa'];

const send = (form: string) => toHard('/forms', form, [`Content-Type: ${TYPE}`]);

const many =
  (name: string): MakeCase =>
  ({ pick }) =>
    send(`${list(`${name}=${pick(...VALUES)}`, BODY_ROOM - 50, '&')}&${name}=${pick(...VALUES)}`);

const joined =
  (name: string, ...separators: readonly string[]): MakeCase =>
  ({ pick }) =>
    send(`${name}=${list(pick(...VALUES), BODY_ROOM - 50, pick(...separators))}`);

/** Forms. Their values are texts, so the service must try which type fits. */
export const FORMS: StallClass = {
  title: 'forms',
  paths: { '/forms': takes('takeForm', SCHEMA, TYPE, ENCODING) },
  cases: {
    'any of twenty lists': many('any'),
    'any of twenty lists, again': many('any'),
    'one of twenty lists': many('one'),
    'one of twenty lists, again': many('one'),
    'a list of int64': many('ids'),
    'names in brackets': ({ pick }) => {
      const value = pick(...VALUES);
      return send(list((nth) => `deep[${nth}]=${value}`, BODY_ROOM, '&'));
    },
    'nested brackets': ({ pick }) => send(`deep${pick('[a]', '[', ']', '[]').repeat(30_000)}]=1`),
    'many names': () => send(list((nth) => `n${nth}=1`, BODY_ROOM, '&')),
    'many names of members': ({ pick }) => {
      const name = pick('x', 'y', 'other');
      return send(list((nth) => `${name}=${nth}`, BODY_ROOM, '&'));
    },
    'between pipes': joined('piped', '|', '%7C', '%7c'),
    'between spaces': joined('spaced', '%20', '+'),
    'long encodings': ({ pick }) => send(`a=${fill(pick('%41', '+', '%C3%A9', '&', '=', '%'))}`),
    'JSON inside': ({ pick }) => {
      const depth = pick(10, 1000, 15_000);
      const text = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      return send(`json=${encodeURIComponent(text).slice(0, BODY_ROOM)}`);
    },
  },
};
