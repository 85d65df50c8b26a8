import { createHash } from 'node:crypto';

/** Identifies the text of a step of a schema. */
export const hashStep = (step: string): string => createHash('sha256').update(step).digest('hex');

/** Throws if a step was edited after it had run. `hashes` has one hash for each step that has run, in order. */
export const checkSteps = (steps: readonly string[], hashes: readonly string[]): void => {
  const edited = hashes.findIndex((hash, index) => hash !== hashStep(steps[index] ?? ''));
  if (edited >= 0)
    throw new Error(
      `step ${edited + 1} of the schema was edited after it had run; restore it, and add the change as a new last step`,
    );
};
