import type { Some } from '../../../random.ts';
import { type MakeCase, type StallClass, toHard } from '../../case.ts';
import { list } from '../../texts.ts';

const FORM = ['Content-Type: application/x-www-form-urlencoded'];
const ROOM = 102_000;

const listOf = (items: object): object => ({ type: 'array', items });
/** Twenty slightly different lists. The service tries a value as each of them. */
const LISTS = Array.from({ length: 20 }, (_, nth) =>
  listOf(nth % 2 === 0 ? { type: 'integer', maximum: nth } : { type: 'string', maxLength: nth }),
);

const SCHEMA = {
  type: 'object',
  properties: {
    any: { anyOf: LISTS },
    one: { oneOf: LISTS },
    ids: listOf({ type: 'integer', format: 'int64' }),
    deep: { type: 'object', additionalProperties: { type: 'integer', format: 'int64' } },
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

const VALUES: Some<string> = [
  '1',
  'a',
  '',
  '%41',
  '+',
  '9007199254740993',
  '1e1',
  '%',
  'aaaaaaaaaaaaaaaaaaaaa',
];

const many =
  (name: string): MakeCase =>
  (random) => {
    const [value, last] = [random.pick(VALUES), random.pick(VALUES)];
    return toHard(
      '/forms',
      `${list(() => `${name}=${value}`, ROOM - 50, '&')}&${name}=${last}`,
      `${name}=${value}, then ${last}`,
      FORM,
    );
  };

const joined =
  (name: string, separators: Some<string>): MakeCase =>
  (random) => {
    const [value, separator] = [random.pick(VALUES), random.pick(separators)];
    return toHard(
      '/forms',
      `${name}=${list(() => value, ROOM, separator)}`,
      `${name} of ${value}, ${separator}`,
      FORM,
    );
  };

/** Forms. Their values are texts, so the service must try which type fits. */
export const FORMS: StallClass = {
  title: 'forms',
  paths: {
    '/forms': {
      post: {
        operationId: 'takeForm',
        requestBody: {
          required: true,
          content: { 'application/x-www-form-urlencoded': { schema: SCHEMA, encoding: ENCODING } },
        },
        responses: { '204': { description: 'Taken' } },
      },
    },
  },
  cases: {
    'any of twenty lists': many('any'),
    'any of twenty lists, again': many('any'),
    'one of twenty lists': many('one'),
    'one of twenty lists, again': many('one'),
    'a list of int64': many('ids'),
    'names in brackets': (random) => {
      const value = random.pick(VALUES);
      return toHard(
        '/forms',
        list((nth) => `deep[${nth}]=${value}`, ROOM, '&'),
        `many deep[n]=${value}`,
        FORM,
      );
    },
    'nested brackets': (random) => {
      const unit = random.pick(['[a]', '[', ']', '[]'] as const);
      return toHard('/forms', `deep${unit.repeat(30_000)}]=1`, `deep${unit}…`, FORM);
    },
    'many names': () =>
      toHard(
        '/forms',
        list((nth) => `n${nth}=1`, ROOM, '&'),
        'many names',
        FORM,
      ),
    'many names of members': (random) => {
      const name = random.pick(['x', 'y', 'other'] as const);
      return toHard(
        '/forms',
        list((nth) => `${name}=${nth}`, ROOM, '&'),
        `many ${name}`,
        FORM,
      );
    },
    'between pipes': joined('piped', ['|', '%7C', '%7c']),
    'between spaces': joined('spaced', ['%20', '+']),
    'long encodings': (random) => {
      const unit = random.pick(['%41', '+', '%C3%A9', '&', '=', '%'] as const);
      return toHard('/forms', `a=${unit.repeat(Math.floor(ROOM / unit.length))}`, `many ${unit}`, FORM);
    },
    'JSON inside': (random) => {
      const depth = random.pick([10, 1000, 15_000] as const);
      const text = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      return toHard('/forms', `json=${encodeURIComponent(text).slice(0, ROOM)}`, `${depth} deep`, FORM);
    },
  },
};
