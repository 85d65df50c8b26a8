/**
 * For how many milliseconds one turn serves requests. Long enough for all requests of a hundred busy connections:
 * requests that are put off miss the commit that the others share, and the service then idles more.
 */
const TURN = 25;

/**
 * How many connections are read on in one turn. They are counted, not timed: a read takes a millisecond or more, but
 * only after the callback that resumes it has returned.
 */
const READS_PER_TURN = 2;

/**
 * Counts the turns of the event loop and limits the work in each. Without a limit, a turn would serve every connected
 * client, and read up to 2 MiB from each connection that never pauses, while new connections wait for seconds.
 */
export const createTurns = () => {
  const reads: (() => void)[] = [];
  const begins: (() => void)[] = [];
  let turn = 0;
  let isEndScheduled = false;
  let connectedTurn = -2;

  /** The number of this turn. Schedules the end of the turn on first use. */
  const current = (): number => {
    if (!isEndScheduled) setImmediate(endTurn);
    isEndScheduled = true;
    return turn;
  };
  const isAccepting = (): boolean => connectedTurn >= turn - 1;
  const endTurn = (): void => {
    turn += 1;
    isEndScheduled = false;
    for (const begin of begins.splice(0)) begin();
    for (const read of reads.splice(0, READS_PER_TURN)) read();
    if (reads.length > 0 || isAccepting()) current();
  };

  let servingSince = 0;
  let servedIn = -1;
  return {
    /** The number of this turn. */
    current,
    /** Whether this turn has time left for another request. The first request of a turn always is in time. */
    hasTime(now: number): boolean {
      if (servedIn !== current()) servingSince = now;
      servedIn = turn;
      return now - servingSince <= TURN;
    },
    /** Notes that a connection was accepted: more may be waiting, so the next turn is a short one. */
    noteConnection(): void {
      connectedTurn = current();
    },
    /** Whether a connection was accepted in this turn or the last. */
    isAccepting,
    /** Calls back in a later turn, to continue reading a connection that sends much. */
    readLater(read: () => void): void {
      reads.push(read);
      current();
    },
    /** Calls back when the next turn begins. */
    onNext(begin: () => void): void {
      begins.push(begin);
      current();
    },
  };
};

/** The turns of the event loop. In each turn Node reads pending data and accepts one connection. */
export type Turns = ReturnType<typeof createTurns>;
