import { type Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { codeOf } from '../../../packages/openapi/src/json/error-code.ts';

/** The answer to a request. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/**
 * Why a request has no answer. `refused`: there was no connection, so nothing was sent. `too late`: the service had
 * closed the kept connection before the request arrived; HTTP clients repeat such requests by themselves (RFC 9112,
 * section 9.3.1). `unanswered`: everything else, such as a reset or a close after the request was sent.
 */
export type NoReply = 'refused' | 'too late' | 'unanswered';

/** A request to send. */
export interface Sent {
  readonly agent: Agent;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

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

/** Sends a POST request, and returns the answer or why there is none. */
export const send = ({ agent, url, headers, body }: Sent): Promise<Reply | NoReply> =>
  new Promise((resolve) => {
    let wasClosed: Promise<boolean> | undefined;
    const outgoing = request(url, {
      agent,
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    });
    const fail = async (error: Error): Promise<void> => {
      if (codeOf(error) === 'ECONNREFUSED') resolve('refused');
      else resolve(outgoing.reusedSocket && (await wasClosed) ? 'too late' : 'unanswered');
    };
    outgoing.on('socket', (socket) => {
      const onEnd = () => {
        wasClosed = wasClosedBefore(socket);
      };
      socket.prependOnceListener('end', onEnd);
      outgoing.once('close', () => socket.off('end', onEnd));
    });
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: `${Buffer.concat(chunks)}` }),
      );
      response.on('error', () => resolve('unanswered')); // an incomplete answer is no answer
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  });
