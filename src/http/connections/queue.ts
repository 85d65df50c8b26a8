import type { IncomingMessage, ServerResponse } from 'node:http';
import { gatherBody } from '../../contract/body/read.ts';
import { Problem } from '../../contract/problems/problem.ts';
import type { Exchange } from '../observe/watch.ts';
import type { Turns } from './turns.ts';

/** How long requests are served in one turn of the event loop, in milliseconds. */
const TURN = 8;

/** The same while connections come in: one request. Node takes in one connection a turn, and the others wait for that. */
const TURN_WITH_ARRIVALS = 0;

/** Whoever has waited longer than this, in milliseconds, is refused: whoever is served is served in bounded time. */
const LONGEST_WAIT = 1000;

/** As many as there are connections. */
const MOST_WAITING = 10_000;

/** What all that wait may have sent of their bodies, in bytes. */
const MOST_WAITING_BYTES = 64 * 2 ** 20;

/** What Node reads of a body that nobody asks for: one read of a socket. */
const MOST_UNASKED = 65_536;

/** How many of those that wait are served in one turn, if there is time. */
const LANES = 64;

/** How many requests may pass by those that wait, in one turn. */
const MOST_PASSING = 8;

/** A request that waits to be served. */
interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly since: number;
  readonly bytes: number;
  /** Hands on what has come of its body. */
  readonly goOn: () => void;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** What serves requests, a few in each turn of the event loop. */
export interface RequestQueue {
  /**
   * Serves a request at once if this turn has time for it, and otherwise as soon as it can. `isAhead` says that its client
   * has not waited for the answer to an earlier one.
   */
  readonly admit: (
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    isAhead: boolean,
  ) => void;
  /** Notes that a connection came in. */
  readonly noteArrival: () => void;
}

/** A body with a length comes in few chunks. One without may come in thousands. */
const gatherChunks = (request: IncomingMessage): (() => void) =>
  request.headers['transfer-encoding'] === undefined ? () => {} : gatherBody(request, () => {});

const bytesOf = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined
    ? Math.min(Number(headers['content-length'] ?? 0), MOST_UNASKED)
    : MOST_UNASKED;

/** One for all: whoever refuses thousands should not have to look for a stack each time. */
const OVERLOADED = new Problem('overloaded', 'the service is overloaded; try again', {
  headers: { 'Retry-After': '1' },
});

/**
 * Keeps the turns of the event loop short: those who ask for more than a turn has time for wait in line. Otherwise each
 * turn would serve all who are connected, and new connections, one a turn, would wait for minutes.
 *
 * A lane serves one request a turn, each in a callback of its own, so that all the work that a request causes at once
 * is done, and counted, before the next lane looks at the clock.
 *
 * Whoever sends requests ahead of their answers has the second and all others in a line of its own, which is served
 * when nobody else waits: a client that waits for each answer is not kept waiting by those who do not.
 *
 * Once the first in line has waited too long it is refused, and the last is served: in order, everybody would wait nearly
 * as long, and most for nothing. A refusal waits like a service would, so that whoever asks again at once gains nothing.
 */
export const createRequestQueue = (
  serve: Serve,
  refuse: (response: ServerResponse, problem: Problem) => void,
  mayPass: (request: IncomingMessage) => boolean,
  turns: Turns,
): RequestQueue => {
  const awaited: Waiting[] = [];
  const sentAhead: Waiting[] = [];
  let waitingBytes = 0;
  let lanes = 0;
  let turn = -1;
  let turnBegan = 0;
  let passed = 0;
  let hasArrivals = false;
  let length = TURN;

  /** Whoever asks first opens the turn, and is always in time. */
  const isInTime = (now: number): boolean => {
    if (turn !== turns.current()) {
      turn = turns.current();
      turnBegan = now;
      passed = 0;
      length = hasArrivals ? TURN_WITH_ARRIVALS : TURN;
      hasArrivals = false;
    }
    return now <= turnBegan + length;
  };

  const settle = (next: Waiting | undefined, answer: (next: Waiting) => void): void => {
    if (!next) return;
    waitingBytes -= next.bytes;
    next.goOn();
    if (next.request.destroyed)
      next.response.exchange?.end(next.response, undefined); // the client hung up
    else answer(next);
  };
  const serveOne = ({ request, response }: Waiting): void => serve(request, response);
  const refuseOne = ({ response }: Waiting): void => refuse(response, OVERLOADED);

  const waitingCount = (): number => awaited.length + sentAhead.length;
  const refuseLate = (line: Waiting[], now: number): boolean => {
    const isLate = now - (line[0]?.since ?? now) > LONGEST_WAIT;
    if (isLate) settle(line.shift(), refuseOne);
    return isLate;
  };
  const serveNext = (): void => {
    const now = performance.now();
    if (isInTime(now)) {
      const areLate = { awaited: refuseLate(awaited, now), sentAhead: refuseLate(sentAhead, now) };
      if (awaited.length > 0) settle(areLate.awaited ? awaited.pop() : awaited.shift(), serveOne);
      else settle(areLate.sentAhead ? sentAhead.pop() : sentAhead.shift(), serveOne);
    }
    if (waitingCount() > 0) setImmediate(serveNext);
    else lanes -= 1;
  };

  const hasRoom = (bytes: number): boolean =>
    waitingCount() < MOST_WAITING && waitingBytes + bytes <= MOST_WAITING_BYTES;
  const addLane = (): void => {
    if (lanes >= LANES) return;
    lanes += 1;
    setImmediate(serveNext);
  };
  const wait = (line: Waiting[], request: IncomingMessage, response: ServerResponse, since: number): void => {
    const bytes = bytesOf(request);
    if (hasRoom(bytes)) {
      line.push({ request, response, since, bytes, goOn: gatherChunks(request) });
      waitingBytes += bytes;
      addLane();
    } else refuse(response, OVERLOADED);
  };

  /** Few in each turn: whoever asks nothing else must not keep the others waiting. */
  const passesBy = (request: IncomingMessage): boolean => {
    if (passed >= MOST_PASSING || !mayPass(request)) return false;
    passed += 1;
    return true;
  };

  return {
    admit(request, response, { started }, isAhead) {
      const isFree = awaited.length === 0 && (!isAhead || sentAhead.length === 0);
      if ((isInTime(started) && isFree) || passesBy(request)) serve(request, response);
      else wait(isAhead ? sentAhead : awaited, request, response, started);
    },
    noteArrival() {
      hasArrivals = true;
    },
  };
};
