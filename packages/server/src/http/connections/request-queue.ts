import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloaded } from '../../contract/problems/problem.ts';
import { isProbe } from '../observe/request-log.ts';
import type { RequestRecord } from '../observe/request-observer.ts';
import { sendError } from '../reply/reply.ts';
import type { Turns } from './turns.ts';

/** A request that has waited longer than this, in milliseconds, is refused. */
const MAX_WAIT = 1000;

/** As many as there may be connections. */
const MAX_WAITING = 10_000;

/** How many requests one turn serves, if it has the time. */
const LANES = 128;

/** How many probes one turn serves ahead of the waiting requests. A flood of probes must not block the others. */
const MAX_PROBES_PER_TURN = 8;

/** A request that waits to be served. */
interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
}

/** The most that Node reads of a body before anybody asks for it: one read of a socket. */
const MAX_READ_AHEAD = 65_536;

/** How many bytes of a body may be in memory while nobody reads it. */
const bytesAhead = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined
    ? Math.min(Number(headers['content-length'] ?? 0), MAX_READ_AHEAD)
    : MAX_READ_AHEAD;

/** Made once: capturing a stack for each of thousands of refusals would cost too much. */
const OVERLOADED = overloaded();

/**
 * Keeps the turns of the event loop short: requests that a turn has no time for wait in line.
 *
 * A turn first parses what has arrived and then serves it. That takes a fifth less CPU than parsing and serving one request
 * after the other, probably because the code for each of the two stays in the caches of the processor.
 *
 * A lane serves one request per turn, in a callback of its own. So all the work that a request causes at once is done,
 * and counted, before the next lane looks at the clock.
 *
 * Pipelined requests wait in a second line, which is served while the first is empty: clients that wait for each answer
 * do not wait for clients that pipeline.
 *
 * Once the oldest request in a line has waited too long, it is refused and the newest is served. Served in order, every
 * request would wait nearly that long, and most would still be refused. A refusal waits as long as an answer would, so
 * that a client gains nothing by retrying at once.
 */
export const createRequestQueue = (
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  turns: Turns,
) => {
  const single: Waiting[] = [];
  const pipelined: Waiting[] = [];
  let lanes = 0;
  let probeTurn = -1;
  let probes = 0;

  const countWaiting = (): number => single.length + pipelined.length;

  const finish = (next: Waiting | undefined, answer: (next: Waiting) => void): void => {
    if (!next || next.record.isFinished) return; // refused already: what followed its header is not HTTP
    if (next.request.destroyed)
      next.record.finish(next.response, undefined); // the client hung up
    else answer(next);
  };
  const serveWaiting = ({ request, response }: Waiting): void => serve(request, response);
  const refuse = ({ response }: Waiting): void => sendError(response, OVERLOADED);

  const refuseIfLate = (line: Waiting[], now: number): boolean => {
    const [oldest] = line;
    const isLate = oldest !== undefined && now - oldest.record.started > MAX_WAIT;
    if (isLate) finish(line.shift(), refuse);
    return isLate;
  };
  const serveNext = (now: number): void => {
    const isSingleLate = refuseIfLate(single, now);
    const isPipelinedLate = refuseIfLate(pipelined, now);
    const [line, isLate] = single.length > 0 ? [single, isSingleLate] : [pipelined, isPipelinedLate];
    finish(isLate ? line.pop() : line.shift(), serveWaiting);
  };

  const runLane = (): void => {
    const now = performance.now();
    if (turns.hasTime(now)) serveNext(now);
    if (countWaiting() >= lanes) setImmediate(runLane);
    else lanes -= 1;
  };
  const openLane = (): void => {
    if (lanes >= LANES) return;
    lanes += 1;
    setImmediate(runLane);
  };

  const enqueue = (line: Waiting[], waiting: Waiting): void => {
    const { request, record } = waiting;
    const bytes = bytesAhead(request);
    if (countWaiting() >= MAX_WAITING || !record.share.fits(bytes)) {
      refuse(waiting);
      return;
    }
    record.share.take(bytes);
    line.push(waiting);
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
   * Serves a request once this turn has read what has arrived, or in a later turn; a probe is served at once.
   * `isPipelined` says that its client has not waited for the answer to an earlier request.
   */
  return (waiting: Waiting, isPipelined: boolean): void => {
    if (jumpsQueue(waiting.request)) serveWaiting(waiting);
    else enqueue(isPipelined ? pipelined : single, waiting);
  };
};
