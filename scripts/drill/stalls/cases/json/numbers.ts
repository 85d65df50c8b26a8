import type { Some } from '../../../random.ts';
import { type MakeCase, plantWith, ref, type StallClass, takes, toHard, toPlants } from '../../case.ts';
import { list, member, nest, repeat } from '../../texts.ts';

/** Numbers with a hundred thousand digits, or with huge exponents. */
const HUGE: Some<string> = [
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
const LONG: Some<string> = [
  '1e999',
  '9007199254740993',
  '1e1',
  '1.0',
  '100000000000000000000e-20',
  '1E+18',
  '0.1e1',
];

const short = (text: string): string => (text.length > 30 ? `${text.slice(0, 30)}… (${text.length})` : text);

const deepNumbers: MakeCase = (random) => {
  const depth = random.pick([1, 100, 500, 2000, 8000] as const);
  const odd = random.pick(LONG);
  const path = random.pick(['/numbers', '/bounded'] as const);
  const room = 102_000 - depth * 9;
  const plain = list((nth) => `${nth % 10}`, Math.max(100, room - odd.length));
  const numbers = random.chance(0.5) ? `${odd},${plain}` : `${plain},${odd}`;
  return toHard(
    path,
    nest(member('next'), depth, `{"numbers":[${numbers}]}`, 102_300),
    `${depth} deep, one ${odd}`,
  );
};

const deepOf = (name: string, item: object): object => ({
  type: 'object',
  properties: { next: ref(name), numbers: { type: 'array', items: item } },
});

/** Numbers that the service must keep exact, wherever they are in the body. */
export const NUMBERS: StallClass = {
  title: 'numbers',
  paths: {
    '/numbers': takes('takeNumbers', ref('Numbers')),
    '/bounded': takes('takeBounded', ref('Bounded')),
    '/amounts': takes('takeAmounts', ref('Amounts')),
  },
  schemas: {
    Numbers: deepOf('Numbers', { type: 'integer', format: 'int64' }),
    Bounded: deepOf('Bounded', {
      type: 'integer',
      format: 'int64',
      minimum: -9_007_199_254_740_993n,
      maximum: 9_007_199_254_740_993n,
    }),
    Amounts: {
      type: 'array',
      items: {
        anyOf: [
          { type: 'number', multipleOf: 0.01, minimum: -1, maximum: 1e300 },
          { enum: [9_007_199_254_740_993n, 9_007_199_254_740_995n, 1] },
          { const: 9_223_372_036_854_775_807n },
        ],
      },
    },
  },
  cases: {
    'deep, one of them odd': deepNumbers,
    'deep, one of them odd, again': deepNumbers,
    'many odd ones': (random) => {
      const odd = random.pick(LONG);
      const path = random.pick(['/numbers', '/bounded'] as const);
      return toHard(path, `{"numbers":[${repeat(odd, 102_000)}]}`, `many ${odd}`);
    },
    'one without end': (random) => {
      const huge = random.pick(HUGE);
      const path = random.pick(['/numbers', '/bounded'] as const);
      return toHard(path, `{"numbers":[${huge}]}`, short(huge));
    },
    'the id of a plant': (random) => {
      const huge = random.pick(HUGE);
      return toPlants(`{"name":"a","id":${huge}}`, short(huge));
    },
    'beside a plant': (random) => {
      const item = random.chance(0.5)
        ? random.pick(HUGE).slice(0, 100_000)
        : repeat(random.pick(LONG), 100_000);
      return plantWith(`"z":[${item}]`, short(item));
    },
    'enum, const and multipleOf': (random) => {
      const odd = random.pick([
        ...LONG,
        '0.07',
        '9007199254740992',
        '9223372036854775807',
        '9223372036854775808',
      ]);
      return toHard('/amounts', `[${repeat(odd, 102_000)}]`, `many ${odd}`);
    },
    'enum, const and multipleOf, one without end': (random) => {
      const huge = random.pick(HUGE);
      return toHard('/amounts', `[${huge}]`, short(huge));
    },
  },
};
