import { type Choices, plantWith, type StallClass, toHard } from '../../case.ts';
import { INT64 } from '../../document.ts';
import { fill, LIST, list, member, nest } from '../../texts.ts';

/** Sends to the plant store, to an operation that accepts anything, or to one that checks every member. */
const send = ({ pick }: Choices, value: string) => {
  const path = pick('/plants', '/echo', '/typed');
  return path === '/plants' ? plantWith(value) : toHard(path, value);
};

const SPECIAL = '__proto__ constructor toString id name then 4294967294 \\u005f_proto__'
  .split(' ')
  .concat('');

/** Names of members that are many, long, alike or special, and replies with such names. */
export const KEYS: StallClass = {
  title: 'names of members, and replies',
  bodies: {
    '/echo': {},
    '/typed': {
      type: ['object', 'array'],
      properties: { id: INT64 },
      additionalProperties: { type: ['integer', 'object', 'array', 'string'] },
    },
  },
  cases: {
    'long, of one length': (choices) => {
      const length = choices.between(16_384, 20_000);
      const key = (nth: number) => `"${String.fromCharCode(97 + nth).repeat(length)}":${nth}`;
      return send(choices, `{${list(key)}}`);
    },
    'of one length': (choices) => {
      const length = choices.pick(3, 8, 100, 1000);
      return send(choices, `{${list((nth) => `"${`${nth}`.padStart(length, 'a')}":1`)}}`);
    },
    'the same again and again': (choices) => send(choices, `{${list(`"${choices.pick(...SPECIAL)}":1`)}}`),
    'one inside the other': (choices) => {
      const { pick } = choices;
      return send(choices, nest(member(pick(...SPECIAL)), pick(100, 2000, 20_000), '{}'));
    },
    'numbers as names': (choices) => {
      const step = choices.pick(1, 1000, 65_536, 4_000_037);
      return send(choices, `{${list((nth) => `"${(nth * step) % 4_294_967_295}":1`)}}`);
    },
    'a deep reply of lists': ({ pick }) =>
      toHard('/echo', nest(LIST, pick(500, 2000, 5000, 10_000, 51_000), '')),
    'a deep reply of objects': ({ pick }) => {
      const leaf = pick('1', '9007199254740993', '"\\"\\"\\""', '[]');
      return toHard('/echo', nest(member('a'), pick(500, 2000, 5000, 10_000, 16_000), leaf));
    },
    'a wide reply': ({ pick }) => {
      const item = pick('9007199254740993', '1e1', '"\\u0001"', '{"a":[]}', '"\\ud83d\\ude00"');
      return toHard('/echo', `[${list(item)}]`);
    },
    'one long text': (choices) => {
      const unit = choices.pick('a', '\\"', '\\u0001', '\\ud83d\\ude00', '\u00e9', '\\\\');
      return send(choices, `{"a":"${fill(unit)}"}`);
    },
    'cut short': (choices) =>
      send(choices, `{"a":${fill(choices.pick('[', '{"a":', '"a",', '[1,', '\\"', '1'))}`),
  },
};
