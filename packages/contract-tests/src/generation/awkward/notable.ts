import type { Json } from '../../values/json.ts';
import type { SchemaObject } from '../../values/schema.ts';

/** A valid value that services often mishandle. */
export interface Notable {
  readonly what: string;
  readonly value: Json;
  /** Its JSON text, if that matters: `1.0`. */
  readonly written?: string;
  /** Whether a service may still reject it. */
  readonly mayRefuse?: boolean;
}

/** Lists notable values of a flat schema, most important first. Callers drop values that the schema does not accept. */
export type NotableOf = (flat: SchemaObject) => Notable[];

/** A valid value with one notable part. */
export interface Variation {
  /** The place of the notable part: `body.tags[0]`. */
  readonly place: string;
  /** What makes it notable: `empty`. */
  readonly what: string;
  readonly leaf: Json;
  readonly written?: string | undefined;
  readonly mayRefuse: boolean;
  /** Puts a leaf in its place in a plain value, which may keep its optional members or lose those beside the place. */
  readonly put: (base: Json, leaf: Json, isLean: boolean) => Json;
}
