import type { Random, Some } from '../../../random.ts';
import { plantWith, type StallClass, takes, toHard } from '../../case.ts';
import { LIST, list, member, nest, repeat } from '../../texts.ts';

const ROOM = 102_000;

/** Sends to the plant store, to an operation that accepts anything, or to one that checks every member. */
const send = (random: Random, value: string, note: string) => {
  const path = random.pick(['/plants', '/echo', '/typed'] as const);
  return path === '/plants' ? plantWith(`"z":${value}`, note) : toHard(path, value, note);
};

const SPECIAL: Some<string> = [
  '__proto__',
  'constructor',
  'toString',
  'id',
  'name',
  'then',
  '4294967294',
  '',
  '\\u005f_proto__',
];

/** Names of members that are many, long, alike or special, and replies with such names. */
export const KEYS: StallClass = {
  title: 'names of members, and replies',
  paths: {
    '/echo': takes('echo', {}),
    '/typed': takes('takeTyped', {
      type: ['object', 'array'],
      properties: { id: { type: 'integer', format: 'int64' } },
      additionalProperties: { type: ['integer', 'object', 'array', 'string'] },
    }),
  },
  cases: {
    'long, of one length': (random) => {
      const length = random.between(16_384, 20_000);
      const key = (nth: number) => `"${String.fromCharCode(97 + nth).repeat(length)}":${nth}`;
      return send(random, `{${list(key, ROOM)}}`, `names of ${length} characters`);
    },
    'of one length': (random) => {
      const length = random.pick([3, 8, 100, 1000] as const);
      return send(
        random,
        `{${list((nth) => `"${`${nth}`.padStart(length, 'a')}":1`, ROOM)}}`,
        `of ${length}`,
      );
    },
    'the same again and again': (random) => {
      const name = random.pick(SPECIAL);
      return send(random, `{${repeat(`"${name}":1`, ROOM)}}`, `many "${name}"`);
    },
    'one inside the other': (random) => {
      const [name, depth] = [random.pick(SPECIAL), random.pick([100, 2000, 20_000] as const)];
      return send(random, nest(member(name), depth, '{}'), `${depth} deep, "${name}"`);
    },
    'numbers as names': (random) => {
      const step = random.pick([1, 1000, 65_536, 4_000_037] as const);
      return send(
        random,
        `{${list((nth) => `"${(nth * step) % 4_294_967_295}":1`, ROOM)}}`,
        `steps of ${step}`,
      );
    },
    'a deep reply of lists': (random) => {
      const depth = random.pick([500, 2000, 5000, 10_000, 51_000] as const);
      return toHard('/echo', nest(LIST, depth, ''), `${depth} deep`);
    },
    'a deep reply of objects': (random) => {
      const depth = random.pick([500, 2000, 5000, 10_000, 16_000] as const);
      const leaf = random.pick(['1', '9007199254740993', '"\\"\\"\\""', '[]'] as const);
      return toHard('/echo', nest(member('a'), depth, leaf), `${depth} deep around ${leaf}`);
    },
    'a wide reply': (random) => {
      const item = random.pick([
        '9007199254740993',
        '1e1',
        '"\\u0001"',
        '{"a":[]}',
        '"\\ud83d\\ude00"',
      ] as const);
      return toHard('/echo', `[${repeat(item, ROOM)}]`, `many ${item}`);
    },
    'one long text': (random) => {
      const unit = random.pick(['a', '\\"', '\\u0001', '\\ud83d\\ude00', '\u00e9', '\\\\'] as const);
      const text = `"${unit.repeat(Math.floor(ROOM / Buffer.byteLength(unit)))}"`;
      return send(random, `{"a":${text}}`, `many ${unit}`);
    },
    'cut short': (random) => {
      const unit = random.pick(['[', '{"a":', '"a",', '[1,', '\\"', '1'] as const);
      return send(random, `{"a":${unit.repeat(Math.floor(ROOM / unit.length))}`, `many ${unit}`);
    },
  },
};
