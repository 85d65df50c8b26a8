import type { Json } from '../values/json.ts';
import type { SchemaObject } from '../values/schema.ts';

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

/** A place in a value: its name `body.tags[0]`, and the path from the body, `['tags', '0']`. */
export interface Location {
  readonly place: string;
  readonly path: readonly string[];
}

/** A change of a valid value, which makes one part notable. */
export interface Variation extends Location {
  /** What makes it notable: `empty`. */
  readonly what: string;
  /** The value to put at the path; `undefined` removes the member. */
  readonly leaf: Json | undefined;
  readonly written?: string | undefined;
  readonly mayRefuse?: boolean | undefined;
}
