import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { JSON_TYPE } from '../../../wire.ts';
import { type MakeCase, type StallClass, toPlants } from '../../case.ts';
import { BODY_LIMIT, fill } from '../../texts.ts';

const CODERS: readonly (readonly [name: string, code: (bytes: Buffer) => Buffer])[] = [
  ['gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['deflate', (bytes) => deflateRawSync(bytes)],
  ['br', (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
];

const compressed = (body: Buffer | string, coding: string) =>
  toPlants(body, [JSON_TYPE, `Content-Encoding: ${coding}`]);

/** Many bytes that compress to few. */
const bomb: MakeCase = ({ pick }) => {
  const [name, code] = pick(...CODERS);
  const bytes = Buffer.alloc(pick(1, 8, 32) * 2 ** 20, pick(' ', '[', '\0', '{"a":1,', '\\u0000'));
  return compressed(code(bytes), name);
};

/** Bodies that are small as sent and large once inflated. */
export const CODINGS: StallClass = {
  title: 'compressed bodies',
  cases: {
    bomb,
    'bomb, again': bomb,
    'just what fits': ({ pick }) => {
      const [name, code] = pick(...CODERS);
      const body = `{"id":1,"name":"a","z":[${fill('"\\u0000",', BODY_LIMIT - 28)}0]}`;
      return compressed(code(Buffer.from(body)), name);
    },
    'many members': ({ pick }) => {
      const member = gzipSync(pick('', ' '));
      return compressed(Buffer.alloc(BODY_LIMIT - (BODY_LIMIT % member.length), member), 'gzip');
    },
    'codings on codings': ({ between }) => {
      const times = between(2, 12);
      let bytes = Buffer.alloc(8 * 2 ** 20, ' ');
      for (let nth = 0; nth < times; nth += 1) bytes = gzipSync(bytes);
      return compressed(bytes, Array(times).fill('gzip').join(', '));
    },
    'a coding without end': ({ pick }) => compressed('{}', `a${fill(pick('gzip,', ',', 'a', ' '), 15_000)}`),
  },
};
