import type { Some } from '../../../random.ts';
import { type MakeCase, ref, type StallClass, takes, toHard } from '../../case.ts';
import { LIST, list, nest } from '../../texts.ts';

/** Kinds of items that all differ, and how to write the nth. */
const ITEMS: Some<readonly [name: string, make: (nth: number) => string]> = [
  ['numbers', (nth) => `${nth}`],
  ['numbers beyond 2^53', (nth) => `${90_071_992_547_409_930n + BigInt(nth)}`],
  ['texts', (nth) => `"${nth}"`],
  ['objects', (nth) => `{"a":${nth}}`],
  ['objects that differ at the end', (nth) => `{"a":1,"b":[1,2],"c":${nth}}`],
  ['lists', (nth) => `[${nth}]`],
  ['lists of lists', (nth) => `[[],[[${nth}]]]`],
];

const flat: MakeCase = (random) => {
  const [name, make] = random.pick(ITEMS);
  const last = random.chance(0.3) ? `,${make(0)}` : '';
  return toHard(
    '/sets',
    `[${list(make, 102_000)}${last}]`,
    `different ${name}${last && ', one of them twice'}`,
  );
};

/** Items that must be unique. In the worst case each is compared with every other, down to the leaves. */
export const SETS: StallClass = {
  title: 'uniqueItems',
  paths: {
    '/sets': takes('takeSet', { type: 'array', uniqueItems: true }),
    '/id-sets': takes('takeIdSet', {
      type: 'array',
      uniqueItems: true,
      items: { type: 'integer', format: 'int64' },
    }),
    '/nested-sets': takes('takeNestedSet', ref('NestedSet')),
  },
  schemas: { NestedSet: { type: ['array', 'integer'], uniqueItems: true, items: ref('NestedSet') } },
  cases: {
    flat,
    'flat, again': flat,
    'int64 alone': (random) => {
      const [first, step] = [9_007_199_254_740_993n, BigInt(random.between(1, 9))];
      return toHard(
        '/id-sets',
        `[${list((nth) => `${first + step * BigInt(nth)}`, 102_000)}]`,
        `step ${step}`,
      );
    },
    nested: (random) => {
      const depth = random.pick([5, 50, 500, 5000, 25_000] as const);
      return toHard('/nested-sets', nest({ open: '[1,', close: ']' }, depth, '[]'), `${depth} deep`);
    },
    'nested, the same but for the end': (random) => {
      const depth = random.pick([10, 50, 200] as const);
      const items = list((nth) => nest(LIST, depth, `${nth}`), 102_000);
      return toHard('/nested-sets', `[${items}]`, `many lists ${depth} deep`);
    },
  },
};
