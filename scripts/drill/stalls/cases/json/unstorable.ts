import { type Choices, type MakeCase, plantWith, type StallClass, toHard } from '../../case.ts';
import { deepThenWide, LIST, list, member, nest } from '../../texts.ts';

const DEPTHS = [20, 200, 2000, 6000, 10_000, 20_000];
const TEXTS = ['"\\u0000"', '"\\ud800"', '"a\\u0000a"', '{"\\u0000":0}', '{"\\udc00":"\\u0000"}'];
const WRAPS = [LIST, member('a'), member('a name'), member('0')];

/** Sends to the plant store, or to an operation that accepts anything. */
const send = ({ pick }: Choices, value: string) =>
  pick('plants', 'anything') === 'plants' ? plantWith(value) : toHard('/anything', value);

const deepAndWide: MakeCase = (choices) => {
  const { pick } = choices;
  return send(choices, deepThenWide(pick(...WRAPS), pick(...DEPTHS), pick(...TEXTS)));
};

/** Text that no store can keep. The service reports the place of each one in the body. */
export const UNSTORABLE: StallClass = {
  title: 'unstorable text',
  bodies: { '/anything': {} },
  cases: {
    'deep, then wide': deepAndWide,
    'deep, then wide, again': deepAndWide,
    wide: (choices) => send(choices, `[${list(choices.pick(...TEXTS))}]`),
    'at every level': (choices) =>
      send(choices, nest({ open: `[${choices.pick(...TEXTS)},`, close: ']' }, 50_000, '0')),
    'names at every level': (choices) =>
      send(choices, nest(member(choices.pick('\\u0000', '\\ud800', 'a\\u0000')), 50_000, '0')),
    'long names, then wide': (choices) => {
      const name = 'n'.repeat(choices.between(16_384, 16_500));
      return send(choices, deepThenWide(member(name), choices.between(1, 2), choices.pick(...TEXTS)));
    },
    'names of one length': (choices) => send(choices, `{${list((nth) => `"${100_000 + nth}\\u0000":0`)}}`),
  },
};
