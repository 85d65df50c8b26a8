import type { Json } from '../values/json.ts';
import type { SchemaObject } from '../values/schema.ts';

/** A value with one thing wrong with it. */
export interface Violation {
  /** For the report: `body.tags[3] gone`. */
  readonly name: string;
  /** The same for all that differ in an index or in a made-up name only: `body.tags[] gone`. */
  readonly kind: string;
  /** What is wrong: `body.name`. */
  readonly place: string;
  /** What a refusal has to name: the place, or the union that it is in. */
  readonly named: string;
  readonly value: Json;
}

/** Makes a violation of one place. */
export const violation = (place: string, what: string, value: Json): Violation => ({
  name: `${place} ${what}`,
  kind: `${place} ${what}`,
  place,
  named: place,
  value,
});

/** Longer than this nothing is made, however long it may be: services have limits of their own. */
export const LONGEST = 10_000;

/** Finds what can be wrong with a value that a flat schema accepts. */
export type FindIn<V> = (flat: SchemaObject, value: V, place: string) => Violation[];

/** How a message names a member of what `place` names. */
export const memberPlace = (place: string, name: string): string => {
  if (/^[a-z_$][\w$]*$/i.test(name)) return `${place}.${name}`;
  return `${place}[${/^\d+$/.test(name) ? name : JSON.stringify(name)}]`;
};
