import { holds, isTree, ownMember, pointerSteps, pointerTo, refAt, valueAt } from '../json/pointer.ts';
import { discriminatedAt } from './discriminator.ts';
import { placesOf } from './shape.ts';

/** Which way a value goes. */
export type Direction = 'request' | 'reply';

/** What has no place in a value that goes this way (JSON Schema 2020-12, validation, section 9.4). */
const MARKS: Readonly<Record<Direction, string>> = { request: 'readOnly', reply: 'writeOnly' };

/** What is known of the schemas of a document: one is asked about wherever it is referred to. */
const KNOWN: Readonly<Record<Direction, WeakMap<object, Map<string, boolean>>>> = {
  request: new WeakMap(),
  reply: new WeakMap(),
};

const knownOf = (document: unknown, direction: Direction): Map<string, boolean> => {
  const known = (isTree(document) && KNOWN[direction].get(document)) || new Map<string, boolean>();
  if (isTree(document)) KNOWN[direction].set(document, known);
  return known;
};

/** A schema that is nothing but a reference is what it refers to. */
const throughRefs = (document: unknown, pointer: string): string => {
  const seen = new Set<string>();
  let here = pointer;
  while (!seen.has(here)) {
    seen.add(here);
    const target = refAt(document, here);
    if (target === undefined || Object.keys(valueAt(document, here) ?? {}).length > 1) return here;
    here = target;
  }
  return here;
};

/**
 * Whether the property whose schema stands at a pointer has no place in a value that goes this way. One branch that says
 * so is enough: a secret that may be null is a secret.
 */
export const isLeftOut = (document: unknown, pointer: string, direction: Direction): boolean => {
  const known = knownOf(document, direction);
  const at = throughRefs(document, pointer);
  const isSaid = () =>
    placesOf(document, at).some((place) => ownMember(valueAt(document, place), MARKS[direction]) === true);
  const answer = known.get(at) ?? isSaid();
  known.set(at, answer);
  return answer;
};

/**
 * The branches that are passed by on the way from a schema to one inside it: they are about other values. To a reply
 * they are not, unless a discriminator tells them apart: what any of them calls writeOnly is sent by none.
 */
export const passedBy = (
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

/**
 * The properties that have no place in a value that goes this way, of all that is said of it by the schema at a pointer
 * and its branches, but for those that are passed by.
 */
export const leftOutOf = (
  document: unknown,
  home: string,
  others: readonly string[],
  direction: Direction,
): ReadonlySet<string> =>
  new Set(
    placesOf(document, home, undefined, new Set(others)).flatMap((place) =>
      Object.keys(ownMember(valueAt(document, place), 'properties') ?? {}).filter((name) =>
        isLeftOut(document, place + pointerTo('properties', name), direction),
      ),
    ),
  );

/** Whether a document has such properties at all. */
export const leavesOut = (document: unknown, direction: Direction): boolean =>
  holds(document, (value) => ownMember(value, MARKS[direction]) === true);
