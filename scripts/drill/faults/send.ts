import type { Socket } from 'node:net';
import { codeOf } from '../../../packages/openapi/src/json/error-code.ts';
import { ask, open, type WireReply } from '../../support/wire.ts';

/**
 * Why a request has no answer. `refused`: there was no connection, so nothing was sent. `too late`: the service had
 * closed the kept connection before the request arrived; HTTP clients repeat such requests by themselves (RFC 9112,
 * section 9.3.1). `unanswered`: everything else, such as a reset or a close after the request was sent.
 */
export type NoReply = 'refused' | 'too late' | 'unanswered';

/**
 * Finds out, once a connection has ended, whether the service had closed it before our bytes arrived. A closed socket
 * answers late bytes with a reset, and Linux reports that reset to the next write, as EPIPE. A service that reads a
 * request and then closes sends no such reset, and one that closes with unread bytes sends a reset instead of an end.
 * So neither is mistaken for this.
 */
const wasClosedBefore = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    socket.write('\n', (error) => resolve(codeOf(error) === 'EPIPE'));
  });

/** Creates a client that sends requests: on one kept connection to each service, or always on a new one. */
export const createSender = (isKept: boolean) => {
  const kept = new Map<string, Socket>();
  return {
    async send(service: string, request: string): Promise<WireReply | NoReply> {
      const last = kept.get(service);
      const { port, hostname } = new URL(service);
      const isReused = last !== undefined && !last.readableEnded && !last.destroyed;
      const socket = isReused ? last : open(Number(port), hostname);
      try {
        const reply = await ask(socket, request);
        if (isKept && !reply.isLast) kept.set(service, socket);
        else socket.destroy();
        return reply;
      } catch (error) {
        const isTooLate = isReused && (await wasClosedBefore(socket));
        socket.destroy();
        if (codeOf(error) === 'ECONNREFUSED') return 'refused';
        return isTooLate ? 'too late' : 'unanswered';
      }
    },
    close(): void {
      for (const socket of kept.values()) socket.destroy();
    },
  };
};
