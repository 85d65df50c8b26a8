import type { Json } from '../../values/json.ts';
import type { Schema, SchemaObject } from '../../values/schema.ts';

/** A value with one thing wrong. */
export interface Violation {
  /** The name in reports: `body.tags[3] missing`. */
  readonly name: string;
  /** Equal for violations that differ only in an index or a generated name: `body.tags[] missing`. */
  readonly kind: string;
  /** The place that a rejection must name: the wrong place, or the union around it. */
  readonly named: string;
  readonly value: Json;
}

/** Creates a violation at a place. */
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
  /** Values that may break it. A value that breaks nothing else is preferred. */
  readonly values: readonly Json[];
}

/** Makes a fault. */
export const fault = (keyword: Fault['keyword'], what: string, ...values: readonly Json[]): Fault => ({
  keyword,
  what,
  values,
});

/** The longest generated value, whatever the schema allows: services have limits too. */
export const LONGEST = 10_000;

/** Derives violations from a value that a flat schema accepts. */
export type FindIn<V> = (flat: SchemaObject, value: V, place: string) => Violation[];

/** Lists the ways to break the keywords of a flat schema, starting from a valid value. */
export type FaultsOf<V> = (flat: SchemaObject, value: V) => Fault[];

/** Samples values of a schema; returns [] if no value can be generated. */
export type SamplesOf = (schema: Schema, numRuns: number) => Json[];

/** Swaps the case of every letter. */
export const inOtherCase = (text: string): string =>
  [...text]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
