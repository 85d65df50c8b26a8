import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../document/operations.ts';
import { isStub, type Reply, type WireRequest } from '../requests/call.ts';
import type { Transport } from './transport.ts';

/** Too many requests timed out, so no more are sent. */
export class Hanging extends Error {
  override readonly name = 'Hanging';
}

const MOST_HANGS_IN_A_ROW = 3;
const MOST_HANGS = 10;

/** Counts requests that time out, and stops sending after too many. */
export const createPatience = () => {
  const inARow = new Map<string, number>();
  let hangs = 0;
  return {
    /** Throws if no more requests should be sent. */
    require: ({ id, at }: Operation): void => {
      if (hangs >= MOST_HANGS)
        throw new Hanging(`${hangs} requests got no answer in time, so no more are sent`);
      if ((inARow.get(at) ?? 0) >= MOST_HANGS_IN_A_ROW)
        throw new Hanging(`${id} gave no answer in time to several requests in a row, so it gets no more`);
    },
    count: ({ at }: Operation, isHanging: boolean): void => {
      inARow.set(at, isHanging ? (inARow.get(at) ?? 0) + 1 : 0);
      if (isHanging) hangs += 1;
    },
  };
};

const MOST_TRIES = 4;
const MOST_WAIT_MS = 5000;
const MOST_WAIT_IN_ALL_MS = 60_000;

/** How long the service asks the client to wait (RFC 9110, section 10.2.3). */
const retryAfter = ({ headers }: Reply, tries: number): number => {
  const said = headers['retry-after'] ?? '';
  if (/^\d+$/.test(said)) return Number(said) * 1000;
  const date = Date.parse(said);
  return Number.isNaN(date) ? 100 * 4 ** tries : Math.max(0, date - Date.now());
};

/** Whether a service is overloaded, so that the same request may succeed later. */
const isBusy = (reply: Reply): boolean =>
  reply.status === 429 ||
  (reply.status === 503 && reply.headers['retry-after'] !== undefined && !isStub(reply));

/** Creates a function that sends a request, and retries it when the service is busy. */
export const createPoliteSend = ({ send }: Transport) => {
  let left = MOST_WAIT_IN_ALL_MS;
  return async (request: WireRequest): Promise<Reply> => {
    let waited = 0;
    for (let tries = 0; ; tries += 1) {
      const reply = await send(request);
      const wait = isBusy(reply) && tries + 1 < MOST_TRIES ? retryAfter(reply, tries) : Infinity;
      if (waited + wait > MOST_WAIT_MS || wait > left) return reply;
      waited += wait;
      left -= wait;
      await pause(wait);
    }
  };
};
