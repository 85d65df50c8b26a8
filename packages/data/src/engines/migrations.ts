import { createHash } from 'node:crypto';

/** Identifies the text of a step of a schema. */
export const hashStep = (step: string): string => createHash('sha256').update(step).digest('hex');

/**
 * Throws if a step was edited after it had run. `hashes` has one hash for each step that has run, in order; `undefined`
 * for a step that ran before hashes were recorded.
 */
export const checkSteps = (steps: readonly string[], hashes: readonly (string | undefined)[]): void => {
  for (const [index, step] of steps.slice(0, hashes.length).entries())
    if (hashes[index] !== undefined && hashes[index] !== hashStep(step))
      throw new Error(
        `step ${index + 1} of the schema was edited after it had run; restore it, and add the change as a new last step`,
      );
};
