import type { HostileBody, MakeBody } from './case.ts';
import { makePlant, membersOf, writeObject, writePlant } from './plants.ts';
import type { Random, Some } from './random.ts';

const malformed = (body: string | Buffer): HostileBody => ({
  bytes: Buffer.from(body),
  expects: ['malformedJson'],
});

type Spoil = (json: string) => string;

const SPOILS: Some<Spoil> = [
  (json) => json.replace(/}$/, ',}'),
  (json) => json.replace('{', '{,'),
  (json) => `// plant\n${json}`,
  (json) => `${json}/* plant */`,
  (json) => json.replace('"id"', "'id'"),
  (json) => json.replace('"id"', 'id'),
  (json) => json.replace(':', '='),
  (json) => json.replace('"id":', '"id":+'),
  (json) => json.replace('"id":', '"id":0'),
  (json) => json.replace('"id":', '"id":--'),
  (json) => json.replace(/"id":-?/, '"id":.'),
  (json) => json.replace(/"id":-?/, '"id":0x'),
  (json) => json.replace(/"id":-?\d+/, '"id":1.'),
  (json) => json.replace(/"id":-?\d+/, '"id":1e'),
  (json) => json.replace(/"id":-?\d+/, '"id":NaN'),
  (json) => json.replace(/"id":-?\d+/, '"id":-Infinity'),
  (json) => json.replace(/"id":-?\d+/, '"id":undefined'),
  (json) => json.replace(/"id":-?\d+/, '"id":1_000'),
  (json) => json.replace(/"id":-?\d+/, '"id":1n'),
  (json) => json.replace('"name":"', '"name":"\\x41'),
  (json) => json.replace('"name":"', '"name":"\\u1x'),
  (json) => json.replace('"name":"', '"name":"\n'),
  (json) => json.replace('"name":"', '"name":"\0'),
  (json) => json + json,
  (json) => `${json}}`,
  (json) => `${json}\u00a0`,
  (json) => `\ufeff${json}`,
  (json) => `)]}',\n${json}`,
  () => '   ',
  () => 'id=1&name=Fern',
  () => '<plant id="1"/>',
  () => '['.repeat(5000),
  () => '{"a":'.repeat(2000),
  () => `[${'1e999,'.repeat(500)}`,
];

/** What is nearly JSON. */
export const makeMalformed: MakeBody = (random) =>
  malformed(random.pick(SPOILS)(writePlant(makePlant(random))));

/** JSON that stops in the middle, though the request is whole. */
export const makeCutShort: MakeBody = (random) => {
  const bytes = Buffer.from(writePlant(makePlant(random)));
  return malformed(bytes.subarray(0, random.between(1, bytes.length - 1)));
};

/** Never part of UTF-8: a stray byte, an overlong form, a surrogate, beyond Unicode, a character cut short. */
const NO_UTF8: Some<string> = ['ff', '80', 'c080', 'eda080', 'f4908080', 'e282', 'f09f8c', 'fe'];

const putInto = (random: Random, json: string, piece: Buffer): Buffer => {
  const at = json.indexOf('"name":"') + '"name":"'.length;
  const [before, after] = [Buffer.from(json.slice(0, at)), Buffer.from(json.slice(at))];
  return Buffer.concat(random.chance(0.9) ? [before, piece, after] : [before, after, piece]);
};

/** Bytes that are not UTF-8, or not in UTF-8. */
export const makeNoUtf8: MakeBody = (random) => {
  const json = writePlant(makePlant(random));
  if (random.chance(0.1)) return malformed(Buffer.from(json, 'utf16le'));
  return malformed(putInto(random, json, Buffer.from(random.pick(NO_UTF8), 'hex')));
};

const UNSTORABLE: Some<string> = [
  '\\u0000',
  '\\ud800',
  '\\uDFFF',
  '\\udc00\\ud800',
  '\\ud83ca',
  '🌱\\uDBFF',
  '\\\\\\u0000',
];

/** Text that JSON can say and no store can keep. */
export const makeUnstorable: MakeBody = (random) => {
  const bad = `"a${random.pick(UNSTORABLE)}"`;
  const members = membersOf(makePlant(random));
  const text = random.pick([
    () => writeObject(Object.entries({ ...members, name: bad })),
    () => writeObject(Object.entries({ ...members, tag: bad })),
    () => writeObject(Object.entries({ ...members, extra: `[{"a":${bad}}]` })),
    () => `${writeObject(Object.entries(members)).slice(0, -1)},${bad}:1}`,
  ])();
  return { bytes: Buffer.from(text), expects: ['schemaMismatch'] };
};
