import { holds, ownMember, pointerSteps, pointerTo, valueAt } from './pointer.ts';
import { placesOf } from './schema-shape.ts';

/** Which way a value goes. */
export type Direction = 'request' | 'reply';

/** What has no place in a value that goes this way (JSON Schema 2020-12, validation, section 9.4). */
const MARKS: Readonly<Record<Direction, string>> = { request: 'readOnly', reply: 'writeOnly' };

/**
 * Whether the property whose schema stands at a pointer has no place in a value that goes this way. One branch that says
 * so is enough: a secret that may be null is a secret.
 */
export const isLeftOut = (document: unknown, pointer: string, direction: Direction): boolean =>
  placesOf(document, pointer).some((place) => ownMember(valueAt(document, place), MARKS[direction]) === true);

/** The branches that are passed by on the way from a schema to one inside it: they are about other values. */
const passedBy = (document: unknown, home: string, pointer: string): string[] => {
  const steps = pointerSteps(pointer.slice(home.length));
  return steps.flatMap((step, index) => {
    const here = home + pointerTo(...steps.slice(0, index));
    if (step === 'then' || step === 'else') return [here + pointerTo(step === 'then' ? 'else' : 'then')];
    if (step !== 'anyOf' && step !== 'oneOf') return [];
    const all = Object.keys(valueAt(document, here + pointerTo(step)) ?? {});
    return all.filter((each) => each !== steps[index + 1]).map((each) => here + pointerTo(step, each));
  });
};

/**
 * The properties that have no place in a value that goes this way, of all that is said of it where the schema at a pointer
 * has a say. `home` is where the schema of the value as a whole stands.
 */
export const leftOutOf = (
  document: unknown,
  home: string,
  pointer: string,
  direction: Direction,
): ReadonlySet<string> =>
  new Set(
    placesOf(document, home, undefined, new Set(passedBy(document, home, pointer))).flatMap((place) =>
      Object.keys(ownMember(valueAt(document, place), 'properties') ?? {}).filter((name) =>
        isLeftOut(document, place + pointerTo('properties', name), direction),
      ),
    ),
  );

/** Whether a document has such properties at all. */
export const leavesOut = (document: unknown, direction: Direction): boolean =>
  holds(document, (value) => ownMember(value, MARKS[direction]) === true);
