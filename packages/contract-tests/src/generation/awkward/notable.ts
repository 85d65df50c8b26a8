import type { Json } from '../../values/json.ts';
import type { SchemaObject } from '../../values/schema.ts';

/** A valid value that services often handle wrongly. */
export interface Notable {
  readonly what: string;
  readonly value: Json;
  /** How the value is written in JSON, where that matters: `1.0`. */
  readonly written?: string;
  /** Whether a service may refuse it all the same. */
  readonly mayRefuse?: boolean;
}

/** Lists notable values of a flat schema, the most telling first. The caller drops what the schema does not accept. */
export type NotableOf = (flat: SchemaObject) => Notable[];

/** A valid value with one thing in it that services often handle wrongly. */
export interface Variation {
  /** The place that is notable: `body.tags[0]`. */
  readonly place: string;
  /** What is notable: `empty`. */
  readonly what: string;
  readonly leaf: Json;
  readonly written?: string | undefined;
  readonly mayRefuse: boolean;
  /** Puts a leaf in its place in a plain value, which may keep its optional members or lose those beside the place. */
  readonly put: (base: Json, leaf: Json, isLean: boolean) => Json;
}
