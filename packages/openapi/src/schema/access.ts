import { getOrInsert } from '../json/once.ts';
import { holds, isTree, ownMember, pointerSteps, pointerTo, valueAt } from '../json/pointer.ts';
import { discriminatedAt } from './discriminator.ts';
import { BRANCHES, placesOf, throughRefs } from './shape.ts';

/** Whether a value is sent in a request or in a reply. */
export type Direction = 'request' | 'reply';

/**
 * The keyword that leaves a property out of values in each direction (JSON Schema 2020-12, validation, section 9.4).
 */
const MARKS: Readonly<Record<Direction, string>> = { request: 'readOnly', reply: 'writeOnly' };

/** The keywords that bring in other schemas for the same value. */
const ELSEWHERE = ['$ref', ...BRANCHES];

/** The answers of `isLeftOut` for each document: many schemas refer to the same one. */
const KNOWN: Readonly<Record<Direction, WeakMap<object, Map<string, boolean>>>> = {
  request: new WeakMap(),
  reply: new WeakMap(),
};

/**
 * Whether a property is left out of values in this direction: `readOnly` in a request, `writeOnly` in a reply. A single
 * branch is enough: a secret that may be null is a secret.
 */
export const isLeftOut = (document: unknown, pointer: string, direction: Direction): boolean => {
  if (!isTree(document)) return false;
  const known = getOrInsert(KNOWN[direction], document, () => new Map());
  return getOrInsert(known, throughRefs(document, pointer), (at) =>
    placesOf(document, at).some((place) => ownMember(valueAt(document, place), MARKS[direction]) === true),
  );
};

/**
 * The alternatives to the branches between a schema and a schema inside it: they describe other values. Without a
 * discriminator they count in a reply too: a property that any alternative calls writeOnly is never sent.
 */
export const otherBranches = (
  document: unknown,
  home: string,
  pointer: string,
  direction: Direction,
): string[] => {
  const steps = pointerSteps(pointer.slice(home.length));
  return steps.flatMap((step, index) => {
    const here = home + pointerTo(...steps.slice(0, index));
    if (direction === 'reply' && !discriminatedAt(document, here)) return [];
    if (step === 'then' || step === 'else') return [here + pointerTo(step === 'then' ? 'else' : 'then')];
    if (step !== 'anyOf' && step !== 'oneOf') return [];
    const all = Object.keys(valueAt(document, here + pointerTo(step)) ?? {});
    return all.filter((each) => each !== steps[index + 1]).map((each) => here + pointerTo(step, each));
  });
};

/** Whether a schema has neither references nor branches. */
export const isPlain = (schema: unknown): schema is Record<string, unknown> =>
  isTree(schema) && !ELSEWHERE.some((keyword) => Object.hasOwn(schema, keyword));

/** The properties of the schema at a pointer that are left out. Most are plain, and quickly judged. */
const leftOutAt = (document: unknown, place: string, direction: Direction): string[] =>
  Object.entries(ownMember(valueAt(document, place), 'properties') ?? {})
    .filter(([name, schema]) =>
      isPlain(schema)
        ? ownMember(schema, MARKS[direction]) === true
        : isLeftOut(document, place + pointerTo('properties', name), direction),
    )
    .map(([name]) => name);

/** The properties that the schema at a pointer and its branches, without the excluded ones, leave out of values. */
export const leftOutOf = (
  document: unknown,
  home: string,
  excluded: readonly string[],
  direction: Direction,
): ReadonlySet<string> =>
  new Set(
    placesOf(document, home, undefined, new Set(excluded)).flatMap((place) =>
      leftOutAt(document, place, direction),
    ),
  );

/** Whether a document leaves any property out in this direction. */
export const leavesOut = (document: unknown, direction: Direction): boolean =>
  holds(document, (value) => ownMember(value, MARKS[direction]) === true);
