import fc from 'fast-check';
import { create, membersOf, plants, texts, validBodies, writeObject, writePlantWith } from './plants.ts';
import { CREATED, type Draft, type Drafts, mostly, refused } from './request.ts';

const mismatch = (text: string): Draft => refused(text, 'schemaMismatch');

const NOT_TEXT = 'null true false 0 -1.5 [] ["a"] {} {"name":"a"}'.split(' ');
const NOT_INT64 = [
  ...'null true "" "1" [] [1] {} 1.5 -0.1 1e-1 1e-400 9223372036854775808 -9223372036854775809'.split(' '),
  ...'9223372036854775807.5 18446744073709551616 1e19 1e308 1e400 -1e400 1e999999999999'.split(' '),
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
];
const INT64 = [
  ...'9223372036854775807 -9223372036854775808 9007199254740993 9.223372036854775807e18'.split(' '),
  ...'-9223372036854775808.000 41.0 1e3 1.5E+1 10e-1 -0 0e999999999999'.split(' '),
  `7.${'0'.repeat(300)}`,
];

const wrongTypes = fc
  .tuple(
    plants,
    fc.oneof(
      fc.tuple(fc.constant('id'), fc.constantFrom(...NOT_INT64)),
      fc.tuple(fc.constantFrom('name', 'tag'), fc.constantFrom(...NOT_TEXT)),
    ),
  )
  .map(([plant, [name, value]]) => mismatch(writePlantWith(plant, name, value)));

/**
 * An int64 in an unusual notation, or at the edge of its range. Mostly with the same name, because then every notation
 * of an id must lead to the same plant.
 */
const oddIntegers = fc.tuple(fc.constantFrom(...INT64), mostly('Odd', 4, texts)).map(([id, name]) => ({
  body: Buffer.from(`{"id":${id},"name":${JSON.stringify(name)}}`),
  expects: CREATED,
  plant: { name },
}));

const INCOMPLETE: readonly ((id: string, name: string) => string)[] = [
  (id) => `{"id":${id}}`,
  (_id, name) => `{"name":${name}}`,
  (id, name) => `{"__proto__":{"id":${id},"name":${name}}}`,
  (id, name) => `{"Name":${name},"ID":${id}}`,
  (id, name) => `[{"id":${id},"name":${name}}]`,
  ...'{} null true 1e400 "text" []'.split(' ').map((text) => () => text),
];

const missingMembers = fc
  .tuple(plants, fc.constantFrom(...INCOMPLETE))
  .map(([{ id, name }, write]) => mismatch(write(`${id}`, JSON.stringify(name))));

const ODD_NAMES =
  '__proto__ constructor prototype toString hasOwnProperty toJSON then length 0 $ref __defineGetter__'.split(
    ' ',
  );
const ODD_VALUES = 'null {} [] 1e400 "x" {"name":1,"id":"x"} [[[]]]'.split(' ');

type Member = readonly [name: string, text: string];

const depths = fc.oneof(
  { withCrossShrink: true },
  { weight: 49, arbitrary: fc.integer({ min: 1, max: 1000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1000, max: 40_000 }) },
);

/** Members that the schema does not name: with odd names, up to a thousand of them, or deeply nested. */
const unknownMembers: fc.Arbitrary<readonly Member[]> = fc.oneof(
  fc.tuple(fc.tuple(fc.constantFrom('', ...ODD_NAMES), fc.constantFrom(...ODD_VALUES))),
  fc.tuple(
    fc.tuple(
      texts.map((text) => `${text} `),
      fc.constantFrom(...ODD_VALUES),
    ),
  ),
  fc
    .integer({ min: 1, max: 1000 })
    .map((length) => Array.from({ length }, (_, nth): Member => [`m${nth}`, '1'])),
  depths.map((depth): Member[] => [['deep', '['.repeat(depth) + ']'.repeat(depth)]]),
  depths.map((depth): Member[] => [['deep', `${'{"a":'.repeat(depth / 10)}1${'}'.repeat(depth / 10)}`]]),
);

const extraMembers = fc.tuple(plants, unknownMembers, fc.boolean()).map(([plant, extra, isReversed]) => {
  const members = [...membersOf(plant), ...extra];
  return create(plant, writeObject(isReversed ? members.reverse() : members));
});

/** Every member is there twice. The last one counts. */
const duplicateMembers = fc
  .tuple(plants, plants, mostly(undefined, 2, fc.constant(['name', 'null'] as const)))
  .map(([first, second, wrong]) => {
    const last = { tag: 'b', ...second };
    const members = [...membersOf({ tag: 'a', ...first }), ...membersOf(last)];
    return wrong ? mismatch(writeObject([...members, wrong])) : create(last, writeObject(members));
  });

/** Bodies that are JSON, and mostly not a plant. */
export const MEMBERS: Drafts = {
  'JSON: valid': validBodies,
  'JSON: type or range': wrongTypes,
  'JSON: odd integers': oddIntegers,
  'JSON: missing members': missingMembers,
  'JSON: extra members, depth': extraMembers,
  'JSON: duplicate members': duplicateMembers,
};
