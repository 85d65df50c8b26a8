import fc from 'fast-check';
import { membersOf, plants, writeObject, writePlantWith } from './plants.ts';
import { type Draft, type Drafts, fractions, mostly, refused } from './request.ts';

const malformed = (body: string | Buffer): Draft => refused(body, 'malformedJson');

const validJson = plants.map((plant) => writeObject(membersOf(plant)));

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
  (json) => json + json,
  (json) => `${json}}`,
  (json) => `${json}\u00a0`,
  (json) => `\ufeff${json}`,
  (json) => `)]}',\n${json}`,
  ...'1. 1e NaN -Infinity undefined 1_000 1n'
    .split(' ')
    .map((id) => (json: string) => json.replace(/"id":-?\d+/, `"id":${id}`)),
  ...['\\x41', '\\u1x', '\n', '\0'].map(
    (start) => (json: string) => json.replace('"name":"', `"name":"${start}`),
  ),
];
const NOT_JSON = ['   ', 'id=1&name=Fern', '<plant id="1"/>', '['.repeat(5000), '{"a":'.repeat(2000)];

const almostJson = fc.oneof(
  {
    weight: SPOILS.length,
    arbitrary: fc.tuple(validJson, fc.constantFrom(...SPOILS)).map(([json, spoil]) => spoil(json)),
  },
  { weight: 6, arbitrary: fc.constantFrom(...NOT_JSON, `[${'1e999,'.repeat(500)}`) },
);

/** JSON that stops in the middle, in a request that is complete. */
const cutShort = fc
  .tuple(
    validJson.map((json) => Buffer.from(json)),
    fractions,
  )
  .map(([json, fraction]) => json.subarray(0, 1 + Math.floor(fraction * (json.length - 1))));

/** Never valid in UTF-8: a stray byte, an overlong form, a surrogate, beyond Unicode, an incomplete character. */
const NOT_UTF8 = ['ff', '80', 'c080', 'eda080', 'f4908080', 'e282', 'f09f8c', 'fe'];

/** Bytes that are not valid UTF-8, in the name or at the end, or text in another encoding. */
const notUtf8 = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(validJson, fc.constantFrom(...NOT_UTF8), mostly('"name":"', 9, fc.constant('}')))
      .map(([json, hex, before]) => {
        const place = json.lastIndexOf(before) + before.length;
        return Buffer.concat([
          Buffer.from(json.slice(0, place)),
          Buffer.from(hex, 'hex'),
          Buffer.from(json.slice(place)),
        ]);
      }),
  },
  { weight: 1, arbitrary: validJson.map((json) => Buffer.from(json, 'utf16le')) },
);

const UNSTORABLE = '\\u0000 \\ud800 \\uDFFF \\udc00\\ud800 \\ud83ca 🌱\\uDBFF \\\\\\u0000'.split(' ');

/** Text that is valid in JSON and that no store can keep, in a member or in its name. */
const unstorableTexts = fc
  .tuple(plants, fc.constantFrom(...UNSTORABLE), fc.constantFrom('name', 'tag', 'extra', ''))
  .map(([plant, bad, member]) => {
    const text = `"a${bad}"`;
    if (member === '') return `${writeObject(membersOf(plant)).slice(0, -1)},${text}:1}`;
    return writePlantWith(plant, member, member === 'extra' ? `[{"a":${text}}]` : text);
  })
  .map((text) => refused(text, 'schemaMismatch'));

/** Bodies that are not JSON, not UTF-8, or cannot be stored. */
export const TEXTS: Drafts = {
  'JSON: nearly JSON': almostJson.map(malformed),
  'JSON: cut short': cutShort.map(malformed),
  'JSON: not UTF-8': notUtf8.map(malformed),
  'JSON: unstorable text': unstorableTexts,
};
