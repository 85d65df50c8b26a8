import type { Some } from '../../../random.ts';
import { type MakeCase, plantWith, type StallClass, takes, toHard, toPlants } from '../../case.ts';
import { list, repeat } from '../../texts.ts';

const ROOM = 102_000;

const STRICT = {
  type: 'object',
  required: ['a', 'b', 'c'],
  properties: {
    a: { type: 'integer', format: 'int64' },
    b: { enum: Array.from({ length: 300 }, (_, nth) => `${nth}`) },
  },
  patternProperties: { '^x': { type: 'string', minLength: 2, pattern: '^[a-z]+$' } },
  propertyNames: { maxLength: 8, pattern: '^[a-z0-9]*$' },
  dependentRequired: { a: ['d', 'e'] },
  additionalProperties: false,
};

const ITEMS: Some<string> = [
  '{}',
  '1',
  '{"a":"1"}',
  '{"b":0}',
  '{"x":1}',
  '{"x":"","y":1}',
  '{"A B":1}',
  'null',
  '""',
];

const items =
  (path: string): MakeCase =>
  (random) => {
    const item = random.pick(ITEMS);
    return toHard(path, `[${repeat(item, ROOM)}]`, `many ${item}`);
  };

const members =
  (make: (nth: number) => string, note: string): MakeCase =>
  () =>
    toHard('/strict', `{${list(make, ROOM)}}`, note);

/** Bodies with thousands of violations. */
export const VIOLATIONS: StallClass = {
  title: 'thousands of violations',
  paths: {
    '/strict': takes('takeStrict', STRICT),
    '/stricts': takes('takeStricts', { type: 'array', items: STRICT }),
    '/evaluated': takes('takeEvaluated', {
      type: 'array',
      prefixItems: [{ type: 'null' }],
      contains: { type: 'object', required: ['z'] },
      minContains: 2,
      unevaluatedItems: false,
    }),
    '/open-members': takes('takeMembers', {
      type: 'object',
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      properties: { a: { type: 'integer' } },
      unevaluatedProperties: { type: 'integer', format: 'int64', multipleOf: 3 },
      minProperties: 2,
    }),
    '/words': takes('takeWords', {
      type: 'array',
      items: { type: 'string', pattern: '^(?:[a-z]+,)*[a-z]+$', minLength: 2, maxLength: 50_000 },
    }),
  },
  cases: {
    items: items('/stricts'),
    'items, again': items('/stricts'),
    'items beyond what is evaluated': items('/evaluated'),
    'names that are not allowed': members((nth) => `"N ${nth}":1`, 'many names'),
    'names of a pattern': members((nth) => `"x${nth}":1`, 'many names'),
    'names that are long': members((nth) => `"${'n'.repeat(2000)}${nth}":1`, 'long names'),
    'members of no property': (random) => {
      const value = random.pick(['1', '3', '""', '9007199254740993'] as const);
      return toHard('/open-members', `{${list((nth) => `"${nth}a":${value}`, ROOM)}}`, `many ${value}`);
    },
    'a long word': (random) => {
      const unit = random.pick(['a', 'a,', ',', 'aa,', 'A'] as const);
      const word = unit.repeat(Math.floor(random.pick([49_000, 100_000] as const) / unit.length));
      return toHard('/words', `["${word}${random.pick(['', '!', 'a'] as const)}"]`, `many ${unit}`);
    },
    words: (random) => {
      const word = random.pick(['""', '"a"', '"a,"', '1', '"A"'] as const);
      return toHard('/words', `[${repeat(word, ROOM)}]`, `many ${word}`);
    },
    'a plant that is none': (random) => {
      const item = random.pick(ITEMS);
      return toPlants(`[${repeat(item, ROOM)}]`, `many ${item}`);
    },
    'a plant with everything': (random) => {
      const item = random.pick(ITEMS);
      return plantWith(`"z":[${repeat(item, ROOM)}]`, `many ${item}`);
    },
  },
};
