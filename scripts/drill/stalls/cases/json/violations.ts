import { type MakeCase, plantWith, type StallClass, toHard, toPlants } from '../../case.ts';
import { INT64, listOf } from '../../document.ts';
import { fill, list } from '../../texts.ts';

const STRICT = {
  type: 'object',
  required: ['a', 'b', 'c'],
  properties: {
    a: INT64,
    b: { enum: Array.from({ length: 300 }, (_, nth) => `${nth}`) },
  },
  patternProperties: { '^x': { type: 'string', minLength: 2, pattern: '^[a-z]+$' } },
  propertyNames: { maxLength: 8, pattern: '^[a-z0-9]*$' },
  dependentRequired: { a: ['d', 'e'] },
  additionalProperties: false,
};

const ITEMS = ['{}', '1', '{"a":"1"}', '{"b":0}', '{"x":1}', '{"x":"","y":1}', '{"A B":1}', 'null', '""'];

const items: MakeCase = ({ pick }) => toHard('/stricts', `[${list(pick(...ITEMS))}]`);

const members =
  (make: (nth: number) => string): MakeCase =>
  () =>
    toHard('/strict', `{${list(make)}}`);

/** Bodies with thousands of violations. */
export const VIOLATIONS: StallClass = {
  title: 'thousands of violations',
  bodies: {
    '/strict': STRICT,
    '/stricts': listOf(STRICT),
    '/evaluated': {
      type: 'array',
      prefixItems: [{ type: 'null' }],
      contains: { type: 'object', required: ['z'] },
      minContains: 2,
      unevaluatedItems: false,
    },
    '/open-members': {
      type: 'object',
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      properties: { a: { type: 'integer' } },
      unevaluatedProperties: { ...INT64, multipleOf: 3 },
      minProperties: 2,
    },
    '/words': listOf({ type: 'string', pattern: '^(?:[a-z]+,)*[a-z]+$', minLength: 2, maxLength: 50_000 }),
  },
  cases: {
    items,
    'items, again': items,
    'items beyond what is evaluated': ({ pick }) => toHard('/evaluated', `[${list(pick(...ITEMS))}]`),
    'names that are not allowed': members((nth) => `"N ${nth}":1`),
    'names of a pattern': members((nth) => `"x${nth}":1`),
    'names that are long': members((nth) => `"${'n'.repeat(2000)}${nth}":1`),
    'members of no property': ({ pick }) => {
      const value = pick('1', '3', '""', '9007199254740993');
      return toHard('/open-members', `{${list((nth) => `"${nth}a":${value}`)}}`);
    },
    'a long word': ({ pick }) => {
      const word = fill(pick('a', 'a,', ',', 'aa,', 'A'), pick(49_000, 100_000));
      return toHard('/words', `["${word}${pick('', '!', 'a')}"]`);
    },
    words: ({ pick }) => toHard('/words', `[${list(pick('""', '"a"', '"a,"', '1', '"A"'))}]`),
    'a plant that is none': ({ pick }) => toPlants(`[${list(pick(...ITEMS))}]`),
    'a plant with everything': ({ pick }) => plantWith(`[${list(pick(...ITEMS))}]`),
  },
};
