import { type MakeCase, plantWith, type StallClass, toHard, toPlants } from '../../case.ts';
import { INT64, listOf, ref } from '../../document.ts';
import { BODY_ROOM, list, member, nest } from '../../texts.ts';

/** Numbers with a hundred thousand digits, or with huge exponents. */
const HUGE = [
  '1'.repeat(100_000),
  `-${'9'.repeat(100_000)}`,
  `0.${'0'.repeat(100_000)}1`,
  `1.${'0'.repeat(100_000)}`,
  `${'1'.repeat(50_000)}.${'1'.repeat(50_000)}`,
  `1${'0'.repeat(99_000)}e-99000`,
  `0.${'0'.repeat(90_000)}1e90001`,
  '1e999999999',
  '-1e999999999',
  '1e-999999999',
  `1e${'9'.repeat(90_000)}`,
  `1e-${'9'.repeat(90_000)}`,
  `1e${'0'.repeat(90_000)}1`,
];
const ODD = ['1e999', '9007199254740993', '1e1', '1.0', '100000000000000000000e-20', '1E+18', '0.1e1'];
const AMOUNTS = [...ODD, '0.07', '9007199254740992', '9223372036854775807', '9223372036854775808'];
const PATHS = ['/numbers', '/bounded'];

const deepNumbers: MakeCase = ({ pick }) => {
  const [depth, odd] = [pick(1, 100, 500, 2000, 8000), pick(...ODD)];
  const plain = list((nth) => `${nth % 10}`, Math.max(100, BODY_ROOM - depth * 9 - 50));
  const numbers = pick('first', 'last') === 'first' ? `${odd},${plain}` : `${plain},${odd}`;
  return toHard(pick(...PATHS), nest(member('next'), depth, `{"numbers":[${numbers}]}`));
};

const deepOf = (path: string, item: object): object => ({
  type: 'object',
  properties: { next: ref(path), numbers: listOf(item) },
});

/** Numbers that the service must keep exact, wherever they are in the body. */
export const NUMBERS: StallClass = {
  title: 'numbers',
  bodies: {
    '/numbers': deepOf('/numbers', INT64),
    '/bounded': deepOf('/bounded', {
      ...INT64,
      minimum: -9_007_199_254_740_993n,
      maximum: 9_007_199_254_740_993n,
    }),
    '/amounts': listOf({
      anyOf: [
        { type: 'number', multipleOf: 0.01, minimum: -1, maximum: 1e300 },
        { enum: [9_007_199_254_740_993n, 9_007_199_254_740_995n, 1] },
        { const: 9_223_372_036_854_775_807n },
      ],
    }),
  },
  cases: {
    'deep, one of them odd': deepNumbers,
    'deep, one of them odd, again': deepNumbers,
    'many odd ones': ({ pick }) => toHard(pick(...PATHS), `{"numbers":[${list(pick(...ODD))}]}`),
    'one without end': ({ pick }) => toHard(pick(...PATHS), `{"numbers":[${pick(...HUGE)}]}`),
    'the id of a plant': ({ pick }) => toPlants(`{"name":"a","id":${pick(...HUGE)}}`),
    'beside a plant': ({ pick }) => plantWith(`[${pick(pick(...HUGE), list(pick(...ODD)))}]`),
    'enum, const and multipleOf': ({ pick }) => toHard('/amounts', `[${list(pick(...AMOUNTS))}]`),
    'enum, const and multipleOf, one without end': ({ pick }) => toHard('/amounts', `[${pick(...HUGE)}]`),
  },
};
