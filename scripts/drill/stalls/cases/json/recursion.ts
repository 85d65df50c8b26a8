import type { Some } from '../../../random.ts';
import { type MakeCase, ref, type StallClass, takes, toHard } from '../../case.ts';
import { deepThenWide, LIST, list, member, nest, repeat } from '../../texts.ts';

const DEPTHS: Some<number> = [10, 100, 300, 1000, 5000, 40_000];
const WRONG: Some<string> = ['1', '""', 'null', '{}', 'true'];

const wrongLeaves: MakeCase = (random) => {
  const [depth, leaf] = [random.pick(DEPTHS), random.pick(WRONG)];
  return toHard('/trees', deepThenWide(LIST, depth, leaf), `${depth} deep, then many ${leaf}`);
};

/** Recursive schemas. A violation deep inside is reported through every level above it. */
export const RECURSION: StallClass = {
  title: 'recursive schemas',
  paths: {
    '/trees': takes('takeTree', ref('Tree')),
    '/maps': takes('takeMap', ref('Map')),
    '/boxes': takes('takeBox', ref('Box')),
    '/layers': takes('takeLayer', ref('Layer')),
  },
  schemas: {
    Tree: { type: 'array', items: ref('Tree') },
    Map: { type: 'object', additionalProperties: ref('Map') },
    Box: {
      type: 'object',
      required: ['kind', 'size'],
      properties: {
        kind: { type: 'string' },
        size: { type: 'integer', format: 'int64', default: 0 },
        boxes: { type: 'array', items: ref('Box') },
        inner: ref('Box'),
      },
    },
    Layer: {
      allOf: [
        { type: 'object', properties: { next: ref('Layer'), size: { type: 'integer', format: 'int64' } } },
        { type: 'object', properties: { next: ref('Layer') }, required: ['size'] },
      ],
      unevaluatedProperties: false,
    },
  },
  cases: {
    'lists, wrong leaves': wrongLeaves,
    'lists, wrong leaves, again': wrongLeaves,
    'lists, as they should be': (random) => {
      const depth = random.pick(DEPTHS);
      return toHard('/trees', deepThenWide(LIST, depth, '[]'), `${depth} deep, then many []`);
    },
    'lists, deep and no more': () => toHard('/trees', nest(LIST, 51_000, ''), 'as deep as there is room'),
    'lists, wrong at every level': (random) => {
      const leaf = random.pick(WRONG);
      return toHard(
        '/trees',
        nest({ open: `[${leaf},`, close: ']' }, 50_000, '[]'),
        `${leaf} at every level`,
      );
    },
    'lists, a bush': (random) => {
      const twig = nest(LIST, random.between(2, 200), random.pick(WRONG));
      return toHard('/trees', `[${repeat(twig, 102_000)}]`, `many ${twig.slice(0, 20)}…`);
    },
    'maps, wrong leaves': (random) => {
      const [depth, leaf] = [random.pick(DEPTHS), random.pick(['1', '[]', '""'] as const)];
      const inner = `{${list((nth) => `"${nth}":${leaf}`, Math.max(100, 102_000 - depth * 6))}}`;
      return toHard('/maps', nest(member('a'), depth, inner, 102_000), `${depth} deep, then many ${leaf}`);
    },
    'boxes, nothing in them': (random) => {
      const depth = random.pick(DEPTHS);
      const inner = `[${repeat('{}', Math.max(10, 102_000 - depth * 10))}]`;
      const wrapped = nest(member('inner'), depth, `{"boxes":${inner}}`, 102_000);
      return toHard('/boxes', wrapped, `${depth} deep, then many {}`);
    },
    'boxes in boxes': (random) => {
      const open = random.pick([
        '{"kind":"a","size":1,"inner":',
        '{"inner":',
        '{"size":"","inner":',
      ] as const);
      return toHard('/boxes', nest({ open, close: '}' }, 50_000, '{}'), `${open} as deep as there is room`);
    },
    'layers, all of two': (random) => {
      const depth = random.pick([10, 16, 24, 100, 1000, 20_000] as const);
      const inner = random.pick(['{}', '{"size":1}', '{"size":"a","other":1}'] as const);
      const open = random.pick(['{"size":1,"next":', '{"next":', '{"size":1,"other":1,"next":'] as const);
      return toHard(
        '/layers',
        nest({ open, close: '}' }, depth, inner),
        `${depth} deep, ${open} around ${inner}`,
      );
    },
  },
};
