import { type MakeCase, type StallClass, toHard } from '../../case.ts';
import { INT64, listOf, ref } from '../../document.ts';
import { BODY_ROOM, deepThenWide, LIST, list, member, nest } from '../../texts.ts';

const DEPTHS = [10, 100, 300, 1000, 5000, 40_000];
const WRONG = ['1', '""', 'null', '{}', 'true'];

const wrongLeaves: MakeCase = ({ pick }) =>
  toHard('/trees', deepThenWide(LIST, pick(...DEPTHS), pick(...WRONG)));

/** Recursive schemas. A violation deep inside is reported through every level above it. */
export const RECURSION: StallClass = {
  title: 'recursive schemas',
  bodies: {
    '/trees': listOf(ref('/trees')),
    '/maps': { type: 'object', additionalProperties: ref('/maps') },
    '/boxes': {
      type: 'object',
      required: ['kind', 'size'],
      properties: {
        kind: { type: 'string' },
        size: { ...INT64, default: 0 },
        boxes: listOf(ref('/boxes')),
        inner: ref('/boxes'),
      },
    },
    '/layers': {
      allOf: [
        { type: 'object', properties: { next: ref('/layers'), size: INT64 } },
        { type: 'object', properties: { next: ref('/layers') }, required: ['size'] },
      ],
      unevaluatedProperties: false,
    },
  },
  cases: {
    'lists, wrong leaves': wrongLeaves,
    'lists, wrong leaves, again': wrongLeaves,
    'lists, as they should be': ({ pick }) => toHard('/trees', deepThenWide(LIST, pick(...DEPTHS), '[]')),
    'lists, deep and no more': () => toHard('/trees', nest(LIST, 51_000, '')),
    'lists, wrong at every level': ({ pick }) =>
      toHard('/trees', nest({ open: `[${pick(...WRONG)},`, close: ']' }, 50_000, '[]')),
    'lists, a bush': ({ pick, between }) =>
      toHard('/trees', `[${list(nest(LIST, between(2, 200), pick(...WRONG)))}]`),
    'maps, wrong leaves': ({ pick }) => {
      const [depth, leaf] = [pick(...DEPTHS), pick('1', '[]', '""')];
      const inner = `{${list((nth) => `"${nth}":${leaf}`, Math.max(100, BODY_ROOM - depth * 6))}}`;
      return toHard('/maps', nest(member('a'), depth, inner));
    },
    'boxes, nothing in them': ({ pick }) => {
      const depth = pick(...DEPTHS);
      const inner = `{"boxes":[${list('{}', BODY_ROOM - depth * 10)}]}`;
      return toHard('/boxes', nest(member('inner'), depth, inner));
    },
    'boxes in boxes': ({ pick }) => {
      const open = pick('{"kind":"a","size":1,"inner":', '{"inner":', '{"size":"","inner":');
      return toHard('/boxes', nest({ open, close: '}' }, 50_000, '{}'));
    },
    'layers, all of two': ({ pick }) => {
      const depth = pick(10, 16, 24, 100, 1000, 20_000);
      const inner = pick('{}', '{"size":1}', '{"size":"a","other":1}');
      const open = pick('{"size":1,"next":', '{"next":', '{"size":1,"other":1,"next":');
      return toHard('/layers', nest({ open, close: '}' }, depth, inner));
    },
  },
};
