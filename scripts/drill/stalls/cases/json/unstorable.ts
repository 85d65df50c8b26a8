import type { Random, Some } from '../../../random.ts';
import { type MakeCase, plantWith, type StallClass, takes, toHard } from '../../case.ts';
import { deepThenWide, LIST, list, member, nest, repeat, type Wrap } from '../../texts.ts';

const DEPTHS: Some<number> = [20, 200, 2000, 6000, 10_000, 20_000];
const TEXTS: Some<string> = [
  '"\\u0000"',
  '"\\ud800"',
  '"a\\u0000a"',
  '{"\\u0000":0}',
  '{"\\udc00":"\\u0000"}',
];
const WRAPS: Some<Wrap> = [LIST, member('a'), member('a name'), member('0')];

/** Sends to the plant store, or to an operation that accepts anything. */
const send = (random: Random, value: string, note: string) =>
  random.chance(0.6) ? plantWith(`"z":${value}`, note) : toHard('/anything', value, note);

const deepAndWide: MakeCase = (random) => {
  const [wrap, depth, text] = [random.pick(WRAPS), random.pick(DEPTHS), random.pick(TEXTS)];
  return send(random, deepThenWide(wrap, depth, text), `${depth} times ${wrap.open} around many ${text}`);
};

/** Text that no store can keep. The service reports the place of each one in the body. */
export const UNSTORABLE: StallClass = {
  title: 'unstorable text',
  paths: { '/anything': takes('takeAnything', {}) },
  cases: {
    'deep, then wide': deepAndWide,
    'deep, then wide, again': deepAndWide,
    wide: (random) => {
      const text = random.pick(TEXTS);
      return send(random, `[${repeat(text, 102_000)}]`, `many ${text}`);
    },
    'at every level': (random) => {
      const text = random.pick(TEXTS);
      return send(random, nest({ open: `[${text},`, close: ']' }, 50_000, '0'), `${text} at every level`);
    },
    'names at every level': (random) => {
      const name = random.pick(['\\u0000', '\\ud800', 'a\\u0000'] as const);
      return send(random, nest(member(name), 50_000, '0'), `the name ${name} at every level`);
    },
    'long names, then wide': (random) => {
      const name = 'n'.repeat(random.between(16_384, 16_500));
      const inner = deepThenWide(member(name), random.between(1, 2), random.pick(TEXTS));
      return send(random, inner, `names of ${name.length} characters around many texts`);
    },
    'names of one length': (random) =>
      send(random, `{${list((nth) => `"${100_000 + nth}\\u0000":0`, 102_000)}}`, 'many names'),
  },
};
