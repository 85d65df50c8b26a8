import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Some } from '../../../random.ts';
import { BODY_LIMIT, type MakeCase, type StallClass, toPlants } from '../../case.ts';

const CODERS: Some<readonly [name: string, code: (bytes: Buffer) => Buffer]> = [
  ['gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['deflate', (bytes) => deflateRawSync(bytes)],
  ['br', (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
];

const fieldsOf = (coding: string): string[] => [
  'Content-Type: application/json',
  `Content-Encoding: ${coding}`,
];

/** Many bytes that compress to few. */
const bomb: MakeCase = (random) => {
  const [name, code] = random.pick(CODERS);
  const unit = random.pick([' ', '[', '\0', '{"a":1,', '\\u0000'] as const);
  const mebibytes = random.pick([1, 8, 32] as const);
  const bytes = code(Buffer.alloc(mebibytes * 2 ** 20, unit));
  return toPlants(bytes, `${mebibytes} MiB of ${JSON.stringify(unit)} by ${name}`, fieldsOf(name));
};

/** Bodies that are small as sent and large once inflated. */
export const CODINGS: StallClass = {
  title: 'compressed bodies',
  cases: {
    bomb,
    'bomb, again': bomb,
    'just what fits': (random) => {
      const [name, code] = random.pick(CODERS);
      const [start, end] = ['{"id":1,"name":"a","z":[', ']}'];
      const filler = '"\\u0000",'.repeat(Math.floor((BODY_LIMIT - start.length - end.length - 2) / 9));
      return toPlants(code(Buffer.from(`${start}${filler}0${end}`)), `100 KiB by ${name}`, fieldsOf(name));
    },
    'many members': (random) => {
      const member = gzipSync(Buffer.from(random.chance(0.5) ? '' : ' '));
      const bytes = Buffer.concat(
        Array.from({ length: Math.floor(BODY_LIMIT / member.length) }, () => member),
      );
      return toPlants(bytes, 'thousands of gzip members', fieldsOf('gzip'));
    },
    'codings on codings': (random) => {
      const times = random.between(2, 12);
      let bytes = Buffer.alloc(8 * 2 ** 20, ' ');
      for (let nth = 0; nth < times; nth += 1) bytes = gzipSync(bytes);
      return toPlants(bytes, `gzip ${times} times`, fieldsOf(Array(times).fill('gzip').join(', ')));
    },
    'a coding without end': (random) => {
      const unit = random.pick(['gzip,', ',', 'a', ' '] as const);
      return toPlants('{}', `many ${unit}`, fieldsOf(`a${unit.repeat(Math.floor(15_000 / unit.length))}`));
    },
  },
};
