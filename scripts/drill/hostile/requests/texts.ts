import fc from 'fast-check';
import { membersOf, plants, writeObject, writePlant } from './plants.ts';
import { type Draft, fractions } from './request.ts';

const malformed = (body: string | Buffer): Draft => ({ body: Buffer.from(body), expects: ['malformedJson'] });

const validJson = plants.map(writePlant);

/** Changes that turn a plant into something that is almost JSON. */
const SPOILS: readonly ((json: string) => string)[] = [
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

/** Text that is almost JSON. */
export const almostJson: fc.Arbitrary<Draft> = fc
  .tuple(validJson, fc.constantFrom(...SPOILS))
  .map(([json, spoil]) => malformed(spoil(json)));

/** JSON that stops in the middle, in a request that is complete. */
export const cutShort: fc.Arbitrary<Draft> = fc.tuple(validJson, fractions).map(([json, fraction]) => {
  const bytes = Buffer.from(json);
  return malformed(bytes.subarray(0, 1 + Math.floor(fraction * (bytes.length - 1))));
});

/** Never valid in UTF-8: a stray byte, an overlong form, a surrogate, beyond Unicode, an incomplete character. */
const NOT_UTF8 = ['ff', '80', 'c080', 'eda080', 'f4908080', 'e282', 'f09f8c', 'fe'];

const insertIntoName = (json: string, piece: Buffer): Buffer => {
  const at = json.indexOf('"name":"') + '"name":"'.length;
  return Buffer.concat([Buffer.from(json.slice(0, at)), piece, Buffer.from(json.slice(at))]);
};

const invalidBytes = fc.constantFrom(...NOT_UTF8).map((hex) => Buffer.from(hex, 'hex'));

/** Bytes that are not valid UTF-8, or text in another encoding. */
export const notUtf8: fc.Arbitrary<Draft> = fc
  .oneof(
    {
      weight: 81,
      arbitrary: fc.tuple(validJson, invalidBytes).map(([json, piece]) => insertIntoName(json, piece)),
    },
    {
      weight: 9,
      arbitrary: fc
        .tuple(validJson, invalidBytes)
        .map(([json, piece]) => Buffer.concat([Buffer.from(json), piece])),
    },
    { weight: 10, arbitrary: validJson.map((json) => Buffer.from(json, 'utf16le')) },
  )
  .map(malformed);

const UNSTORABLE = [
  '\\u0000',
  '\\ud800',
  '\\uDFFF',
  '\\udc00\\ud800',
  '\\ud83ca',
  '🌱\\uDBFF',
  '\\\\\\u0000',
];

const PLACES: readonly ((members: Record<string, string>, bad: string) => string)[] = [
  (members, bad) => writeObject(Object.entries({ ...members, name: bad })),
  (members, bad) => writeObject(Object.entries({ ...members, tag: bad })),
  (members, bad) => writeObject(Object.entries({ ...members, extra: `[{"a":${bad}}]` })),
  (members, bad) => `${writeObject(Object.entries(members)).slice(0, -1)},${bad}:1}`,
];

/** Text that is valid in JSON and that no store can keep. */
export const unstorableTexts: fc.Arbitrary<Draft> = fc
  .tuple(plants, fc.constantFrom(...UNSTORABLE), fc.constantFrom(...PLACES))
  .map(([plant, bad, place]) => ({
    body: Buffer.from(place(membersOf(plant), `"a${bad}"`)),
    expects: ['schemaMismatch'],
  }));
