import { type Choices, type MakeCase, type StallClass, toHard } from '../../case.ts';
import { INT64, listOf, ref } from '../../document.ts';
import { deepThenWide, LIST, nest } from '../../texts.ts';

const COUNT = { ...INT64, minimum: -9, default: 1 };

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

const chainOf = (keyword: string, path: string, isKindFirst: boolean): object => ({
  [keyword]: [
    ...['a', 'b', 'c'].map((kind) => nodeOf(kind, ref(path), isKindFirst)),
    { type: 'null' },
    INT64,
  ],
});

const overlapping = (path: string, keyword: string): object => ({
  [keyword]: [
    listOf(ref(path)),
    { ...listOf({ anyOf: [ref(path), INT64] }), maxItems: 5000 },
    { type: 'object', additionalProperties: ref(path) },
    { ...INT64, minimum: -9 },
    { type: 'string', maxLength: 9 },
  ],
});

const DEPTHS = [8, 14, 20, 28, 60, 500, 3000];
const ENDS = ['null', '9007199254740993', '1e1', '""', '{"kind":"d"}', '{}', '{"kind":"a"}'];

/** A chain of nodes of any kinds. Its end is valid, or invalid in one of several ways. */
const chain = ({ pick, between }: Choices): string => {
  const [isKindFirst, depth, kinds] = [pick(true, false), pick(...DEPTHS), pick('a', 'c', 'abc')];
  const first = between(0, kinds.length - 1);
  let [open, close] = ['', ''];
  for (let level = 0; level < depth; level += 1) {
    const kind = kinds[(first + level) % kinds.length];
    open += isKindFirst ? `{"kind":"${kind}","count":${level},"next":` : '{"next":';
    close = (isKindFirst ? '}' : `,"count":1,"kind":"${kind}"}`) + close;
  }
  return open + pick(...ENDS) + close;
};

const chains: MakeCase = (choices) =>
  toHard(choices.pick('/one-of', '/any-of', '/one-of-late', '/any-of-late'), chain(choices));

const lists: MakeCase = ({ pick }) => {
  const depth = pick(5, 10, 16, 24, 100, 1000, 30_000);
  const leaf = pick('1', '9007199254740993', '"a"', 'null', '{"a":1}', '1e1');
  return toHard(pick('/lists-any', '/lists-one'), deepThenWide(LIST, depth, leaf, pick(300, 100_000)));
};

/** Nodes of one kind, one in the other. */
const nested =
  (path: string, ...opens: readonly string[]): MakeCase =>
  ({ pick }) =>
    toHard(path, nest({ open: pick(...opens), close: '}' }, pick(...DEPTHS), '1'));

/** Recursive unions without a discriminator. Only the end of the text shows which branch fits. */
export const UNIONS: StallClass = {
  title: 'recursive unions',
  bodies: {
    '/one-of': chainOf('oneOf', '/one-of', true),
    '/any-of': chainOf('anyOf', '/any-of', true),
    '/one-of-late': chainOf('oneOf', '/one-of-late', false),
    '/any-of-late': chainOf('anyOf', '/any-of-late', false),
    '/lists-any': overlapping('/lists-any', 'anyOf'),
    '/lists-one': overlapping('/lists-one', 'oneOf'),
    '/conditions': {
      if: {
        type: 'object',
        properties: { next: ref('/conditions'), kind: { const: 'a' } },
        required: ['kind'],
      },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { next: ref('/conditions'), count: COUNT } },
      else: { type: ['object', 'integer', 'null'], properties: { next: ref('/conditions') } },
    },
    '/opposites': {
      not: { type: 'object', properties: { next: ref('/opposites') }, required: ['next', 'kind'] },
      properties: { next: ref('/opposites') },
    },
    '/dependents': {
      type: ['object', 'integer', 'null'],
      properties: { next: ref('/dependents') },
      dependentSchemas: {
        kind: { properties: { next: ref('/dependents') } },
        count: { properties: { next: ref('/dependents'), count: COUNT } },
      },
    },
  },
  cases: {
    chains,
    'chains, again': chains,
    'chains, once more': chains,
    'overlapping lists': lists,
    'overlapping lists, again': lists,
    conditions: (choices) => toHard('/conditions', chain(choices)),
    opposites: nested('/opposites', '{"next":', '{"kind":1,"next":'),
    dependents: nested('/dependents', '{"kind":1,"next":', '{"kind":1,"count":1,"next":'),
  },
};
