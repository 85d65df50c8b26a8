import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../../packages/openapi/src/json/error-code.ts';
import { ask, open } from '../wire.ts';

/** The reply to a case. */
export interface Reply {
  /** `undefined` if there was none. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  /** Why there was no reply. */
  readonly broke: string | undefined;
}

/** The reason after a timeout. */
export const NO_REPLY = 'no answer in time';

/** Sends bytes on a new connection, and awaits the reply. */
export const exchange = async (port: number, bytes: Buffer, timeout: number): Promise<Reply> => {
  const socket = open(port);
  const isOver = new AbortController();
  const late = sleep(timeout, undefined, { signal: isOver.signal }).then(
    () => Promise.reject(new Error(NO_REPLY)),
    () => [],
  );
  const started = performance.now();
  const took = () => performance.now() - started;
  try {
    const [reply] = await Promise.race([late, ask(socket, bytes)]);
    return { status: reply?.status, milliseconds: took(), broke: undefined };
  } catch (error) {
    const broke = error instanceof Error ? codeOf(error) || error.message : String(error);
    return { status: undefined, milliseconds: took(), broke };
  } finally {
    isOver.abort();
    socket.destroy();
  }
};
