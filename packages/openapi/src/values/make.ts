import type { SchemaPart } from './parts.ts';

/** Below this depth only required members are made, so that a recursive schema ends. */
export const DEEP = 3;

/** Below this depth nothing is made: a schema that requires itself has no value at all. */
export const TOO_DEEP = 16;

/**
 * How many other values of a member, or of the last item, are tried: fewer the deeper it is, since all are combined.
 */
export const variantsAt = (depth: number): number => (depth === 0 ? 60 : 6);

/** Makes the values of members and items. */
export interface Make {
  /** At most `count` different values that fit all of these parts. */
  readonly several: (parts: readonly SchemaPart[], depth: number, count: number) => readonly unknown[];
  /** Whether an object may lack required members. */
  readonly isPartial: boolean;
  /** Whether the schema of a member says that it is not sent this way. */
  readonly isLeftOut: (part: SchemaPart) => boolean;
}
