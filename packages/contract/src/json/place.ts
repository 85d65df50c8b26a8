import { placeOf, pointerTo, type Violation } from '@trellis/openapi/internal/json';

/** The place of a value in another value. It is written out only if a violation is found. */
export interface Place {
  /** The name of a member, or the index of an item; of the outermost value, what messages call it. */
  readonly key: string;
  readonly parent: Place | undefined;
}

/** A value that is nested deeper gets no pointer: it would be too long to read. */
const DEEPEST_POINTER = 100;

/** Creates the violation of a value at a place. `describe` may add to its name. */
export const violationAt = (
  place: Place,
  message: string,
  describe = (whole: string): string => whole,
): Violation => {
  const steps: string[] = [];
  let root = place;
  for (; root.parent; root = root.parent) steps.push(root.key);
  steps.reverse();
  const isInBody = root.key === 'body' && steps.length <= DEEPEST_POINTER;
  return {
    place: describe(placeOf(root.key, steps)),
    message,
    pointer: isInBody ? pointerTo(...steps) : undefined,
  };
};
