import type { Json } from '../../values/json.ts';
import type { Schema, SchemaObject } from '../../values/schema.ts';

/** A value with one thing wrong. */
export interface Violation {
  /** For the report: `body.tags[3] gone`. */
  readonly name: string;
  /** The same for violations that differ only in an index or a made-up name: `body.tags[] gone`. */
  readonly kind: string;
  /** The place that a refusal must name: the wrong one, or the union around it. */
  readonly named: string;
  readonly value: Json;
}

/** Makes a violation at a place. */
export const violation = (place: string, what: string, value: Json): Violation => ({
  name: `${place} ${what}`,
  kind: `${place} ${what}`,
  named: place,
  value,
});

/** A keyword to break. */
export interface Fault {
  readonly keyword: keyof SchemaObject;
  readonly what: string;
  /** Values that may break it, the best first: one that breaks nothing else is preferred. */
  readonly values: readonly Json[];
}

/** Makes a fault. */
export const fault = (keyword: Fault['keyword'], what: string, ...values: readonly Json[]): Fault => ({
  keyword,
  what,
  values,
});

/** The longest value that is generated, whatever the schema allows: services have limits of their own. */
export const LONGEST = 10_000;

/** Makes violations out of a value that a flat schema accepts. */
export type FindIn<V> = (flat: SchemaObject, value: V, place: string) => Violation[];

/** Lists the ways to break the keywords of a flat schema, starting from a value that it accepts. */
export type FaultsOf<V> = (flat: SchemaObject, value: V) => Fault[];

/** Gives some values of a schema; none if it allows none, or none can be generated. */
export type SamplesOf = (schema: Schema, numRuns: number) => Json[];

/** A text with the case of every letter changed. */
export const inOtherCase = (text: string): string =>
  [...text]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
