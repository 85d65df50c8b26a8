/** The turns of the event loop. In each turn Node reads what has arrived and accepts one connection. */
export interface Turns {
  /** The number of this turn. */
  current(): number;
  /** Whether this turn has time left for another request. The first request of a turn always is in time. */
  hasTime(now: number): boolean;
  /** Whether this turn has time to parse more of what has arrived. The first read of a turn always is in time. */
  hasTimeToParse(now: number): boolean;
  /** Whether this turn has parsed for so long that its successors must parse less. */
  isLong(now: number): boolean;
  /** Notes that a connection was accepted: more may be waiting, so the next turn is a short one. */
  noteConnection(): void;
  /** Whether a connection was accepted in this turn or the last. */
  isAccepting(): boolean;
  /** Calls back in one of the next turns, to read on from a connection that sends much. */
  readLater(read: () => void): void;
  /** Calls back when the next turn begins. */
  onNext(begin: () => void): void;
}

/**
 * For how many milliseconds one turn serves requests. Long enough for all requests of a hundred busy connections:
 * requests that are put off miss the commit that the others share, and the service then idles more.
 */
const TURN = 25;

/** A turn that has parsed for so many milliseconds is too long. A thousand clients that send one request each take less. */
const LONG = 50;

/** For how many milliseconds one turn parses once some have been too long. */
const PARSE = 10;

/** Parsing takes so long after a connection was accepted: one read. Each connection that waits costs a turn. */
const PARSE_WITH_CONNECTIONS = 0;

/**
 * Divides the time between serving and accepting while connections wait to be accepted: after a request was served, as much
 * time goes to connections. Clients give up while they wait in the backlog, which the system keeps in order, so the
 * service would come to accept only clients that have left.
 */
const createFairShare = () => {
  let servedFrom: number | undefined;
  let serveAgainAt = 0;
  const noteServed = (now: number): void => {
    if (servedFrom !== undefined) serveAgainAt = now + (now - servedFrom);
    servedFrom = undefined;
  };
  return {
    noteConnection: () => noteServed(performance.now()),
    /** Whether a request may be served. */
    mayServe(now: number): boolean {
      noteServed(now);
      if (now < serveAgainAt) return false;
      servedFrom = now;
      return true;
    },
  };
};

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
  const begins: (() => void)[] = [];
  let turn = 0;
  let isEndScheduled = false;
  let connectedTurn = -2;

  const endTurn = (): void => {
    turn += 1;
    isEndScheduled = false;
    for (const begin of begins.splice(0)) begin();
    for (const read of reads.splice(0, READS_PER_TURN)) read();
    if (reads.length > 0 || isAccepting()) scheduleEnd();
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

  /** Creates a clock that tells how long ago it was first looked at in this turn. */
  const createClock = () => {
    let startedIn = -1;
    let started = 0;
    return (now: number): number => {
      if (startedIn !== current()) started = now;
      startedIn = turn;
      return now - started;
    };
  };
  const servingFor = createClock();
  const parsingFor = createClock();
  const share = createFairShare();
  const isAccepting = (): boolean => connectedTurn >= turn - 1;

  return {
    current,
    hasTime: (now) => (isAccepting() ? share.mayServe(now) : servingFor(now) <= TURN),
    hasTimeToParse: (now) => parsingFor(now) <= (isAccepting() ? PARSE_WITH_CONNECTIONS : PARSE),
    isLong: (now) => parsingFor(now) > LONG,
    noteConnection() {
      if (isAccepting()) share.noteConnection();
      connectedTurn = current();
    },
    isAccepting,
    readLater(read) {
      reads.push(read);
      scheduleEnd();
    },
    onNext(begin) {
      begins.push(begin);
      scheduleEnd();
    },
  };
};
