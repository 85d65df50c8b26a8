import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../../packages/openapi/src/json/error-code.ts';
import { ask, HEALTH, open } from '../wire.ts';
import type { Pipelined } from './cases.ts';

/** The reply to a case. */
export interface Reply {
  /** The highest one, if there are many replies; `undefined` if there was none. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  /** Why there was no reply. */
  readonly broke: string | undefined;
}

/** The reason after a timeout. */
export const NO_REPLY = 'no answer in time';

const ALONE: Pipelined = { connections: 1, requests: 1, isKept: false };

/** Sends bytes on a new connection, or on many at once, and awaits the replies. */
export const exchange = async (
  port: number,
  bytes: Buffer,
  timeout: number,
  { connections, requests, isKept } = ALONE,
): Promise<Reply> => {
  const sockets = Array.from({ length: connections }, () => open(port));
  const isOver = new AbortController();
  const late = sleep(timeout, undefined, { signal: isOver.signal }).then(
    () => Promise.reject(new Error(NO_REPLY)),
    () => [],
  );
  const askAll = (request: Buffer, count: number) =>
    Promise.race([late, Promise.all(sockets.map((socket) => ask(socket, request, count)))]);
  let started = performance.now();
  const took = () => performance.now() - started;
  try {
    if (isKept) await askAll(HEALTH, 1);
    started = performance.now();
    const replies = (await askAll(bytes, requests)).flat();
    return {
      status: Math.max(...replies.map(({ status }) => status)),
      milliseconds: took(),
      broke: undefined,
    };
  } catch (error) {
    const broke = error instanceof Error ? codeOf(error) || error.message : String(error);
    return { status: undefined, milliseconds: took(), broke };
  } finally {
    isOver.abort();
    for (const socket of sockets) socket.destroy();
  }
};
