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
