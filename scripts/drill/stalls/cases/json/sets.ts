import { type MakeCase, type StallClass, toHard } from '../../case.ts';
import { INT64, ref } from '../../document.ts';
import { LIST, list, nest } from '../../texts.ts';

/** Items that all differ: what is before and after a number. */
const ITEMS: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['9007199254740', ''], // beyond 2^53
  ['"', '"'],
  ['{"a":', '}'],
  ['{"a":1,"b":[1,2],"c":', '}'], // objects that differ at the end
  ['[', ']'],
  ['[[],[[', ']]]'],
];

const flat: MakeCase = ({ pick }) => {
  const [before, after] = pick(...ITEMS);
  const make = (nth: number) => `${before}${10_000 + nth}${after}`;
  const twice = pick('', '', `,${make(0)}`);
  return toHard('/sets', `[${list(make)}${twice}]`);
};

/** Items that must be unique. In the worst case each is compared with every other, down to the leaves. */
export const SETS: StallClass = {
  title: 'uniqueItems',
  bodies: {
    '/sets': { type: 'array', uniqueItems: true },
    '/id-sets': { type: 'array', uniqueItems: true, items: INT64 },
    '/nested-sets': { type: ['array', 'integer'], uniqueItems: true, items: ref('/nested-sets') },
  },
  cases: {
    flat,
    'flat, again': flat,
    'int64 alone': ({ between }) => {
      const step = BigInt(between(1, 9));
      return toHard('/id-sets', `[${list((nth) => `${9_007_199_254_740_993n + step * BigInt(nth)}`)}]`);
    },
    nested: ({ pick }) =>
      toHard('/nested-sets', nest({ open: '[1,', close: ']' }, pick(5, 50, 500, 5000, 25_000), '[]')),
    'nested, the same but for the end': ({ pick }) => {
      const depth = pick(10, 50, 200);
      return toHard('/nested-sets', `[${list((nth) => nest(LIST, depth, `${nth}`))}]`);
    },
  },
};
