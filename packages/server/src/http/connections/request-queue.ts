import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloaded } from '@trellis/contract/internal/handlers';
import type { ReceivedRequest, ServerExchange } from '../observe/exchange.ts';
import { isProbe } from '../observe/request-log.ts';
import { sendError } from '../reply/reply.ts';
import type { Connection } from './connection.ts';
import type { Turns } from './turns.ts';

/** How long a request should wait, in milliseconds. Clients give up after a second or so. */
const MAX_WAIT = 500;

/** As many as there may be connections. */
const MAX_WAITING = 10_000;

/** How many requests one turn serves, if it has the time. Replies of the store are read between two turns. */
const LANES = 32;

/** How many requests may wait for longer than `MAX_WAIT`. */
const MAX_LATE = 128;

/** How many probes one turn serves ahead of the waiting requests. A flood of probes must not block the others. */
const MAX_PROBES_PER_TURN = 8;

/** The most that Node reads of a body before anybody asks for it: one read of a socket. */
const MAX_READ_AHEAD = 65_536;

/** Returns how many bytes of a body Node may buffer before the body is read. */
const bytesAhead = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined
    ? Math.min(Number(headers['content-length'] ?? 0), MAX_READ_AHEAD)
    : MAX_READ_AHEAD;

/** Made once: capturing a stack for each of thousands of refusals would cost too much. */
const OVERLOADED = overloaded();

const answerOverloaded = ({ response }: ServerExchange): void => sendError(response, OVERLOADED);

/** A request that waits, and since when, in milliseconds. */
interface Waiting {
  readonly exchange: ServerExchange;
  readonly since: number;
}

/**
 * Requests that wait. They are served in order until the oldest has waited too long. From then on the newest is served
 * first, until none waits: served in order, every request would wait nearly that long, and most would be refused or
 * abandoned by their clients.
 */
const createLine = () => {
  const waiting: Waiting[] = [];
  let isLate = false;
  return {
    waiting,
    /** Answers the oldest request with 503, if it has waited too long and many others wait. */
    answerLate(now: number): void {
      const [oldest] = waiting;
      if (oldest === undefined || now - oldest.since <= MAX_WAIT) return;
      isLate = true;
      if (waiting.length <= MAX_LATE) return;
      waiting.shift();
      if (needsAnswer(oldest.exchange)) answerOverloaded(oldest.exchange);
    },
    takeNext(): ServerExchange | undefined {
      const next = isLate ? waiting.pop() : waiting.shift();
      if (waiting.length === 0) isLate = false;
      return next?.exchange;
    },
  };
};

/** Whether a request that was taken out of a line still needs an answer. */
const needsAnswer = (exchange: ServerExchange): boolean => {
  if (exchange.isFinished) return false; // refused already: what followed its header is not HTTP
  if (!exchange.request.destroyed) return true;
  exchange.finish(undefined); // the client hung up
  return false;
};

/** Creates a test that is true for the probes that are served at once, ahead of the waiting requests. */
const createProbeTest = (turns: Turns) => {
  let probeTurn = -1;
  let probes = 0;
  return (request: IncomingMessage): boolean => {
    if (!isProbe(request)) return false;
    if (probeTurn !== turns.current()) probes = 0;
    probeTurn = turns.current();
    probes += 1;
    return probes <= MAX_PROBES_PER_TURN;
  };
};

/**
 * Keeps the turns of the event loop short: requests that a turn has no time for wait in line.
 *
 * A turn first parses all pending data, and then serves it. That takes a fifth less CPU than parsing and serving one
 * request after the other, probably because the code for each of the two stays in the caches of the processor.
 *
 * A lane serves one request per turn, in its own callback. So all synchronous work of a request is done, and counted,
 * before the next lane looks at the clock.
 *
 * A pipelined request waits until the one before it is answered. The client may rely on their order (RFC 9112, section
 * 9.3.2), and one that pipelines has no larger part of the service than one that waits for each answer.
 *
 * A request for which the queue or the memory has no room is refused at once. A refusal by the contract waits as long as
 * an answer would, so that a client gains nothing by retrying.
 */
export const createRequestQueue = (
  serve: (request: ReceivedRequest, response: ServerResponse) => void,
  turns: Turns,
) => {
  const { waiting, answerLate, takeNext } = createLine();
  const servesAtOnce = createProbeTest(turns);
  let lanes = 0;

  const runLane = (): void => {
    lanes -= 1;
    const now = performance.now();
    if (turns.hasTime(now)) {
      answerLate(now);
      const next = takeNext();
      if (next && needsAnswer(next)) serve(next.request, next.response);
    }
    openLane();
    openLane();
  };
  const openLane = (): void => {
    if (lanes >= Math.min(waiting.length, turns.isAccepting() ? 1 : LANES)) return;
    lanes += 1;
    setImmediate(runLane);
  };
  const add = (exchange: ServerExchange, since: number): void => {
    waiting.push({ exchange, since });
    openLane();
  };

  /** Serves a request once this turn has read all pending data, or in a later turn. A probe is served at once. */
  return (exchange: ServerExchange, connection: Connection | undefined): void => {
    const { request, response, share, started } = exchange;
    if (servesAtOnce(request)) {
      serve(request, response);
      return;
    }
    const bytes = bytesAhead(request);
    if (waiting.length >= MAX_WAITING || !share.fits(bytes)) {
      answerOverloaded(exchange);
      return;
    }
    share.take(bytes);
    if (!connection || connection.unanswered.length === 1) add(exchange, started);
    else connection.pipelined.push(() => add(exchange, performance.now()));
  };
};
