import type { Random, Some } from '../../../random.ts';
import { type MakeCase, ref, type StallClass, takes, toHard } from '../../case.ts';
import { deepThenWide, LIST, nest } from '../../texts.ts';

const COUNT = { type: 'integer', format: 'int64', minimum: -9, default: 1 };

/** A node of a chain. The member that tells its kind comes before the nested node, or after it. */
const nodeOf = (kind: string, next: object, isKindFirst: boolean): object => {
  const tag = { kind: { const: kind } };
  const inside = { next, count: COUNT };
  return {
    type: 'object',
    required: ['kind'],
    properties: isKindFirst ? { ...tag, ...inside } : { ...inside, ...tag },
  };
};

const chainOf = (keyword: string, name: string, isKindFirst: boolean): object => ({
  [keyword]: [
    ...['a', 'b', 'c'].map((kind) => nodeOf(kind, ref(name), isKindFirst)),
    { type: 'null' },
    { type: 'integer', format: 'int64' },
  ],
});

const DEPTHS: Some<number> = [8, 14, 20, 28, 60, 500, 3000];

/** A chain of nodes of any kinds. Its end is valid, or invalid in one of several ways. */
const chain = (random: Random, isKindFirst: boolean): { body: string; note: string } => {
  const depth = random.pick(DEPTHS);
  const end = random.pick([
    'null',
    '9007199254740993',
    '1e1',
    '""',
    '{"kind":"d"}',
    '{}',
    '{"kind":"a"}',
  ] as const);
  const kinds = random.pick(['a', 'c', 'abc'] as const);
  let [open, close] = ['', ''];
  for (let level = 0; level < depth; level += 1) {
    const kind = kinds[random.below(kinds.length)];
    open += isKindFirst ? `{"kind":"${kind}","count":${level},"next":` : '{"next":';
    close = (isKindFirst ? '}' : `,"count":1,"kind":"${kind}"}`) + close;
  }
  return { body: open + end + close, note: `${depth} of ${kinds} around ${end}` };
};

const PATHS: Some<string> = ['/one-of', '/any-of', '/one-of-late', '/any-of-late'];

const chains: MakeCase = (random) => {
  const { body, note } = chain(random, random.chance(0.5));
  return toHard(random.pick(PATHS), body, note);
};

const lists: MakeCase = (random) => {
  const depth = random.pick([5, 10, 16, 24, 100, 1000, 30_000] as const);
  const leaf = random.pick(['1', '9007199254740993', '"a"', 'null', '{"a":1}', '1e1'] as const);
  const path = random.pick(['/lists-any', '/lists-one'] as const);
  return toHard(
    path,
    deepThenWide(LIST, depth, leaf, random.pick([300, 100_000] as const)),
    `${depth} deep, ${leaf}`,
  );
};

const overlapping = (name: string, keyword: string): object => ({
  [keyword]: [
    { type: 'array', items: ref(name) },
    { type: 'array', items: { anyOf: [ref(name), { type: 'integer', format: 'int64' }] }, maxItems: 5000 },
    { type: 'object', additionalProperties: ref(name) },
    { type: 'integer', format: 'int64', minimum: -9 },
    { type: 'string', maxLength: 9 },
  ],
});

/** Recursive unions without a discriminator. Only the end of the text shows which branch fits. */
export const UNIONS: StallClass = {
  title: 'recursive unions',
  paths: {
    '/one-of': takes('takeOneOf', ref('OneOf')),
    '/any-of': takes('takeAnyOf', ref('AnyOf')),
    '/one-of-late': takes('takeOneOfLate', ref('OneOfLate')),
    '/any-of-late': takes('takeAnyOfLate', ref('AnyOfLate')),
    '/lists-any': takes('takeListsAny', ref('ListsAny')),
    '/lists-one': takes('takeListsOne', ref('ListsOne')),
    '/conditions': takes('takeCondition', ref('Condition')),
    '/opposites': takes('takeOpposite', ref('Opposite')),
    '/dependents': takes('takeDependent', ref('Dependent')),
  },
  schemas: {
    OneOf: chainOf('oneOf', 'OneOf', true),
    AnyOf: chainOf('anyOf', 'AnyOf', true),
    OneOfLate: chainOf('oneOf', 'OneOfLate', false),
    AnyOfLate: chainOf('anyOf', 'AnyOfLate', false),
    ListsAny: overlapping('ListsAny', 'anyOf'),
    ListsOne: overlapping('ListsOne', 'oneOf'),
    Condition: {
      if: {
        type: 'object',
        properties: { next: ref('Condition'), kind: { const: 'a' } },
        required: ['kind'],
      },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { next: ref('Condition'), count: COUNT } },
      else: { type: ['object', 'integer', 'null'], properties: { next: ref('Condition') } },
    },
    Opposite: {
      not: { type: 'object', properties: { next: ref('Opposite') }, required: ['next', 'kind'] },
      properties: { next: ref('Opposite') },
    },
    Dependent: {
      type: ['object', 'integer', 'null'],
      properties: { next: ref('Dependent') },
      dependentSchemas: {
        kind: { properties: { next: ref('Dependent') } },
        count: { properties: { next: ref('Dependent'), count: COUNT } },
      },
    },
  },
  cases: {
    chains,
    'chains, again': chains,
    'chains, once more': chains,
    'overlapping lists': lists,
    'overlapping lists, again': lists,
    conditions: (random) => {
      const { body, note } = chain(random, random.chance(0.5));
      return toHard('/conditions', body, note);
    },
    opposites: (random) => {
      const depth = random.pick(DEPTHS);
      const open = random.pick(['{"next":', '{"kind":1,"next":'] as const);
      return toHard('/opposites', nest({ open, close: '}' }, depth, '1'), `${depth} times ${open}`);
    },
    dependents: (random) => {
      const depth = random.pick(DEPTHS);
      const open = random.pick(['{"kind":1,"next":', '{"kind":1,"count":1,"next":'] as const);
      return toHard('/dependents', nest({ open, close: '}' }, depth, '1'), `${depth} times ${open}`);
    },
  },
};
