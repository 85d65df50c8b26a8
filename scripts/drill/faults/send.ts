import { type Agent, request } from 'node:http';
import type { Socket } from 'node:net';

/** The answer to a request. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/**
 * Why a request has no answer. `refused`: there was no connection, so nothing was sent. `too late`: the service had
 * closed the kept connection before the request got there, which HTTP clients repeat by themselves (RFC 9112, section
 * 9.3.1). `unanswered`: anything else, a reset or a hang-up with the request on its way above all.
 */
export type NoReply = 'refused' | 'too late' | 'unanswered';

/** What is sent, and where. */
export interface Sent {
  readonly agent: Agent;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/**
 * Tells, once a connection has ended, whether the service had closed it before our bytes arrived. A socket that is
 * closed answers late bytes with a reset; Linux gives that reset to whoever writes next, as EPIPE. A service that has
 * read a request and then hangs up sends no such reset, and one that hangs up on what it has not read sends a reset
 * instead of an end: so neither can pass for this.
 */
const wasClosedBefore = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    socket.write('\n', (error) => resolve(codeOf(error) === 'EPIPE'));
  });

/** Sends a request by POST, and gives the answer or why there is none. */
export const send = ({ agent, url, headers, body }: Sent): Promise<Reply | NoReply> =>
  new Promise((resolve) => {
    let lateness: Promise<boolean> | undefined;
    const outgoing = request(url, {
      agent,
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    });
    const fail = async (error: Error): Promise<void> => {
      if (codeOf(error) === 'ECONNREFUSED') resolve('refused');
      else resolve(outgoing.reusedSocket && (await lateness) ? 'too late' : 'unanswered');
    };
    outgoing.on('socket', (socket) => {
      const onEnd = () => {
        lateness = wasClosedBefore(socket);
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
      response.on('error', () => resolve('unanswered')); // half an answer is none
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  });
