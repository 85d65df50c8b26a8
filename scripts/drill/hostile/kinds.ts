import { GOOD_FIELDS, LINE, type MakeBody, writeFramed } from './case.ts';
import { makeDamaged, makeTruncated } from './damage.ts';
import { makeCompressed, makeDamagedCompressed, makeWrongCoding } from './encodings.ts';
import { type MakeFramed, makeCredentials, makeHarmlessFields, makeMediaType } from './fields.ts';
import { type MakeBroken, makeChunks, makeFollowed, makeLengths } from './framing.ts';
import { makeFields } from './headers.ts';
import { makeOtherProtocol, makeRequestLine } from './lines.ts';
import { makeOddInteger, makeValid, makeWrongType } from './members.ts';
import type { Some } from './random.ts';
import { makeDuplicate, makeExtra, makeMissing } from './structure.ts';
import { makeTarget } from './targets.ts';
import { makeCutShort, makeMalformed, makeNoUtf8, makeUnstorable } from './texts.ts';

/** A request with such a body, as it should be but for that. */
export const withBody =
  (make: MakeBody): MakeFramed =>
  (random) => {
    const { bytes: body, fields = [], expects, plant } = make(random);
    const parts = { line: LINE, fields: [...GOOD_FIELDS, ...fields], body };
    return { bytes: writeFramed(random, parts), expects, plant };
  };

/** What has exactly one answer. */
export const FRAMED: Some<readonly [kind: string, make: MakeFramed]> = [
  ['JSON: valid', withBody(makeValid)],
  ['JSON: type or range', withBody(makeWrongType)],
  ['JSON: odd integers', withBody(makeOddInteger)],
  ['JSON: missing members', withBody(makeMissing)],
  ['JSON: extra members, depth', withBody(makeExtra)],
  ['JSON: duplicate members', withBody(makeDuplicate)],
  ['JSON: nearly JSON', withBody(makeMalformed)],
  ['JSON: cut short', withBody(makeCutShort)],
  ['JSON: not UTF-8', withBody(makeNoUtf8)],
  ['JSON: unstorable text', withBody(makeUnstorable)],
  ['body: compressed', withBody(makeCompressed)],
  ['body: compressed, damaged', withBody(makeDamagedCompressed)],
  ['body: wrong coding', withBody(makeWrongCoding)],
  ['HTTP: media type', makeMediaType],
  ['HTTP: credentials', makeCredentials],
  ['HTTP: method and target', makeTarget],
  ['HTTP: harmless fields', makeHarmlessFields],
];

/** What may be broken in any way. */
export const BROKEN: Some<readonly [kind: string, make: MakeBroken]> = [
  ['broken: lengths', makeLengths],
  ['broken: chunks', makeChunks],
  ['broken: what follows', makeFollowed],
  ['broken: request line', makeRequestLine],
  ['broken: header fields', makeFields],
  ['broken: other protocols', makeOtherProtocol],
  ['broken: bytes', makeDamaged],
  ['broken: bytes', makeDamaged],
  ['broken: truncated', makeTruncated],
];
