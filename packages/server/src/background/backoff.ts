/** The shortest and the longest pause before something is started again, in milliseconds. */
const SHORTEST = 100;
const LONGEST = 30_000;
/** A run that lasts at least this many milliseconds resets the pause. */
const STEADY = 1000;

/** Creates a function that returns the pause before the next start. The pause doubles while each run ends soon. */
export const createBackoff = () => {
  let pause = SHORTEST / 2;
  return (ranFor: number): number => {
    pause = ranFor < STEADY ? Math.min(pause * 2, LONGEST) : SHORTEST;
    return pause;
  };
};
