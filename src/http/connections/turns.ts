/** The turns of the event loop, for those who can wait for another. */
export interface Turns {
  /** The number of this turn. */
  current(): number;
  /** Goes on in one of the next turns. */
  wait(goOn: () => void): void;
}

/** So many of those who wait go on in one turn: what each of them does may take a millisecond or more. */
const EACH_TURN = 2;

/**
 * Makes clients who ask for much take turns. Node reads up to 2 MiB from each connection before it looks at another one,
 * so 200 that never pause keep everybody else waiting for seconds. Here a few of them go on in each turn, in the order
 * in which they came, and whoever asks for little is served between two turns.
 */
export const createTurns = (): Turns => {
  const waiting: (() => void)[] = [];
  let turn = 0;
  let isCounted = false;
  const begin = (): void => {
    turn += 1;
    isCounted = false;
    for (const goOn of waiting.splice(0, EACH_TURN)) goOn();
    if (waiting.length > 0) count();
  };
  const count = (): void => {
    if (isCounted) return;
    isCounted = true;
    setImmediate(begin);
  };
  return {
    current() {
      count();
      return turn;
    },
    wait(goOn) {
      waiting.push(goOn);
      count();
    },
  };
};
