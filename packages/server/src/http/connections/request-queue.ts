import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloaded } from '@trellis/contract/internal/handlers';
import type { ServerExchange } from '../observe/exchange.ts';
import { isProbe } from '../observe/request-log.ts';
import { sendError } from '../reply/reply.ts';
import type { Turns } from './turns.ts';

/** How long a request should wait, in milliseconds. Clients give up after a second or so. */
const MAX_WAIT = 500;

/** As many as there may be connections. */
const MAX_WAITING = 10_000;

/** How many requests one turn serves, if it has the time. */
const LANES = 128;

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

/**
 * Creates a line of requests. They are served in order until the oldest has waited too long. From then on the newest is
 * served first, until none waits: served in order, every request would wait nearly that long, and most would be refused
 * or abandoned by their clients.
 */
const createLine = () => {
  const waiting: ServerExchange[] = [];
  let isLate = false;
  return {
    count: () => waiting.length,
    add: (exchange: ServerExchange) => void waiting.push(exchange),
    /** Takes the oldest request out of the line, if it has waited too long and more wait than a turn can serve. */
    takeLate(now: number): ServerExchange | undefined {
      const [oldest] = waiting;
      if (oldest === undefined || now - oldest.started <= MAX_WAIT) return undefined;
      isLate = true;
      return waiting.length > LANES ? waiting.shift() : undefined;
    },
    takeNext(): ServerExchange | undefined {
      const next = isLate ? waiting.pop() : waiting.shift();
      if (waiting.length === 0) isLate = false;
      return next;
    },
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
 * Pipelined requests wait in a second line, which is served while the first is empty: clients that wait for each answer
 * do not wait for clients that pipeline.
 *
 * A refusal waits as long as an answer would, so that a client gains nothing by retrying at once.
 */
export const createRequestQueue = (
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  turns: Turns,
) => {
  const single = createLine();
  const second = createLine();
  let lanes = 0;
  let probeTurn = -1;
  let probes = 0;

  const countWaiting = (): number => single.count() + second.count();

  const finish = (next: ServerExchange, answer: (next: ServerExchange) => void): void => {
    if (next.isFinished) return; // refused already: what followed its header is not HTTP
    if (next.request.destroyed)
      next.finish(undefined); // the client hung up
    else answer(next);
  };
  const serveWaiting = ({ request, response }: ServerExchange): void => serve(request, response);
  const refuse = ({ response }: ServerExchange): void => sendError(response, OVERLOADED);

  const refuseLate = (line: typeof single, now: number): void => {
    const late = line.takeLate(now);
    if (late) finish(late, refuse);
  };
  const serveNext = (now: number): void => {
    refuseLate(single, now);
    refuseLate(second, now);
    const next = (single.count() > 0 ? single : second).takeNext();
    if (next) finish(next, serveWaiting);
  };

  const runLane = (): void => {
    lanes -= 1;
    const now = performance.now();
    if (turns.hasTime(now)) serveNext(now);
    openLane();
    openLane();
  };
  const openLane = (): void => {
    if (lanes >= Math.min(countWaiting(), turns.isAccepting() ? 1 : LANES)) return;
    lanes += 1;
    setImmediate(runLane);
  };

  const enqueue = (line: typeof single, exchange: ServerExchange): void => {
    const { request, share } = exchange;
    const bytes = bytesAhead(request);
    if (countWaiting() >= MAX_WAITING || !share.fits(bytes)) {
      refuse(exchange);
      return;
    }
    share.take(bytes);
    line.add(exchange);
    openLane();
  };

  const jumpsQueue = (request: IncomingMessage): boolean => {
    if (!isProbe(request)) return false;
    if (probeTurn !== turns.current()) probes = 0;
    probeTurn = turns.current();
    probes += 1;
    return probes <= MAX_PROBES_PER_TURN;
  };

  /**
   * Serves a request once this turn has read all pending data, or in a later turn. A probe is served at once.
   * `isPipelined` is true if the client did not wait for the answer to an earlier request.
   */
  return (exchange: ServerExchange, isPipelined: boolean): void => {
    if (jumpsQueue(exchange.request)) serveWaiting(exchange);
    else enqueue(isPipelined ? second : single, exchange);
  };
};
