import { holds, ownMember, pointerTo, valueAt } from './pointer.ts';
import { placesOf } from './schema-shape.ts';

/** Which way a value goes. */
export type Direction = 'request' | 'reply';

/** What has no place in a value that goes this way (JSON Schema 2020-12, validation, section 9.4). */
const MARKS: Readonly<Record<Direction, string>> = { request: 'readOnly', reply: 'writeOnly' };

/** Whether the property whose schema stands at a pointer has no place in a value that goes this way. */
export const isLeftOut = (document: unknown, pointer: string, direction: Direction): boolean =>
  placesOf(document, pointer, ['allOf']).some(
    (place) => ownMember(valueAt(document, place), MARKS[direction]) === true,
  );

/** The properties, of all that the schema at a pointer names, that have no place in a value that goes this way. */
export const leftOutOf = (document: unknown, pointer: string, direction: Direction): ReadonlySet<string> =>
  new Set(
    placesOf(document, pointer).flatMap((place) =>
      Object.keys(ownMember(valueAt(document, place), 'properties') ?? {}).filter((name) =>
        isLeftOut(document, place + pointerTo('properties', name), direction),
      ),
    ),
  );

/** Whether a document has such properties at all. */
export const leavesOut = (document: unknown, direction: Direction): boolean =>
  holds(document, (value) => ownMember(value, MARKS[direction]) === true);
