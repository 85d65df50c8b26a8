import { toPlant } from '../../../src/plants/plant.ts';
import { CREATED, type MakeBody } from './case.ts';
import { asBody, refused } from './members.ts';
import { makePlant, makeText, membersOf, writeObject } from './plants.ts';
import type { Some } from './random.ts';

type Member = readonly [name: string, text: string];

/** Something that is required is missing, or the whole is no object. */
export const makeMissing: MakeBody = (random) => {
  const { id = '', name = '' } = membersOf(makePlant(random));
  return refused(
    random.pick([
      '{}',
      writeObject([['id', id]]),
      writeObject([['name', name]]),
      writeObject([['__proto__', writeObject(Object.entries({ id, name }))]]),
      writeObject([
        ['Name', name],
        ['ID', id],
      ]),
      `[${writeObject(Object.entries({ id, name }))}]`,
      'null',
      'true',
      '1e400',
      '"text"',
      '[]',
    ]),
  );
};

const ODD_NAMES: Some<string> = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '',
  '0',
  '$ref',
  '__defineGetter__',
];
const ODD_VALUES: Some<string> = ['null', '{}', '[]', '1e400', '"x"', '{"name":1,"id":"x"}', '[[[]]]'];

/** More than the schema names: members of odd names, a thousand of them, or nested deeply. */
export const makeExtra: MakeBody = (random) => {
  const plant = makePlant(random);
  const depth = random.pick([10, 100, 100, 1000, random.chance(0.1) ? 40_000 : 1000]);
  const extra = random.pick<() => Member[]>([
    () => [[random.pick(ODD_NAMES), random.pick(ODD_VALUES)]],
    () => [[`${makeText(random)} `, random.pick(ODD_VALUES)]],
    () => Array.from({ length: random.pick([10, 100, 1000]) }, (_, index) => [`m${index}`, '1']),
    () => [['deep', '['.repeat(depth) + ']'.repeat(depth)]],
    () => [['deep', `${'{"a":'.repeat(depth / 10)}1${'}'.repeat(depth / 10)}`]],
  ])();
  const members = [...Object.entries(membersOf(plant)), ...extra];
  return {
    ...asBody(writeObject(random.chance(0.5) ? members : members.reverse()), CREATED),
    plant: toPlant(plant),
  };
};

/** The same member twice: the last one counts. */
export const makeDuplicate: MakeBody = (random) => {
  const [first, last] = [makePlant(random), makePlant(random)];
  const members = [
    ...Object.entries(membersOf({ tag: 'a', ...first })),
    ...Object.entries(membersOf({ tag: 'b', ...last })),
  ];
  if (random.chance(0.3)) return refused(writeObject([...members, ['name', 'null']]));
  return { ...asBody(writeObject(members), CREATED), plant: toPlant({ tag: 'b', ...last }) };
};
