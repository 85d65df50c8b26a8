/** The turns of the event loop. In each turn Node reads what has arrived and accepts one connection. */
export interface Turns {
  /** The number of this turn. */
  current(): number;
  /** Whether this turn has time left for another request. The first request of a turn always is in time. */
  hasTime(now: number): boolean;
  /** Counts a request that was parsed, and gives whether this turn has parsed for too long. */
  countParsed(): boolean;
  /** Notes that a connection was accepted: more may be waiting, so the next turn is a short one. */
  noteConnection(): void;
  /** Calls back in one of the next turns, to read on from a connection; `isPatient` ones go first. */
  readLater(read: () => void, isPatient?: boolean): void;
}

/**
 * For how many milliseconds one turn serves requests. Long enough for all requests of a hundred busy connections:
 * requests that are put off miss the commit that the others share, and the service then idles more.
 */
const TURN = 25;

/** The same after a connection was accepted: one request. Each connection that waits to be accepted costs a turn. */
const TURN_WITH_CONNECTIONS = 0;

/** A turn that has parsed for so many milliseconds parses no more. A thousand clients that send one request each take less. */
const LONG = 50;

/** After how many requests it looks at the clock: to look after each would cost every request a few percent. */
const LOOK_EVERY = 32;

/**
 * How many connections are read on in one turn. They are counted, not timed: a read takes a millisecond or more, but
 * only after the callback that resumes it has returned.
 */
const READS_PER_TURN = 2;

/**
 * Counts the turns of the event loop and limits the work in each. Without a limit a turn would serve everybody who is
 * connected, and read up to 2 MiB from each connection that never pauses, while new connections wait for seconds.
 */
export const createTurns = (): Turns => {
  const reads: (() => void)[] = [];
  const patient: (() => void)[] = [];
  let turn = 0;
  let isEndScheduled = false;
  let timedTurn = -1;
  let deadline = 0;
  let connectedTurn = -2;
  let parsed = 0;
  let parsingSince = 0;

  const endTurn = (): void => {
    turn += 1;
    isEndScheduled = false;
    parsed = 0;
    for (const read of (patient.length > 0 ? patient : reads).splice(0, READS_PER_TURN)) read();
    if (reads.length + patient.length > 0) scheduleEnd();
  };
  const scheduleEnd = (): void => {
    if (isEndScheduled) return;
    isEndScheduled = true;
    setImmediate(endTurn);
  };
  const current = (): number => {
    scheduleEnd();
    return turn;
  };

  return {
    current,
    hasTime(now) {
      if (timedTurn !== current()) {
        timedTurn = turn;
        const isAccepting = connectedTurn >= turn - 1; // in this turn or the last
        deadline = now + (isAccepting ? TURN_WITH_CONNECTIONS : TURN);
      }
      return now <= deadline;
    },
    countParsed() {
      scheduleEnd();
      if (parsed === 0) parsingSince = performance.now();
      parsed += 1;
      return parsed % LOOK_EVERY === 0 && performance.now() - parsingSince > LONG;
    },
    noteConnection() {
      connectedTurn = current();
    },
    readLater(read, isPatient = false) {
      (isPatient ? patient : reads).push(read);
      scheduleEnd();
    },
  };
};
