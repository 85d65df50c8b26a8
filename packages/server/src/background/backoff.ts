/** The shortest and the longest pause before something is started again, in milliseconds. */
const SHORTEST = 100;
const LONGEST = 30_000;
/** What has run for so many milliseconds has not failed at its start. */
const STEADY = 1000;

/** Creates a function that gives the pause before the next start. It doubles while what was started soon ends again. */
export const createBackoff = () => {
  let pause = SHORTEST / 2;
  return (ranFor: number): number => {
    pause = ranFor < STEADY ? Math.min(pause * 2, LONGEST) : SHORTEST;
    return pause;
  };
};
