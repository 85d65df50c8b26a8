import type { Socket } from 'node:net';
import { codeOf } from '../../../packages/openapi/src/json/error-code.ts';
import { ask, HOST, NO_REPLY, open, writeRequest } from '../wire.ts';
import type { Pipelined } from './case.ts';

/** The reply to a request. */
export interface Reply {
  /** `undefined` if there was no reply. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  /** Why there was no reply. */
  readonly broke: string | undefined;
}

const HEALTH = writeRequest('GET /healthz HTTP/1.1', [HOST]);

/** Sends bytes on a connection, and awaits so many replies; gives their statuses. */
const pipeline = (socket: Socket, bytes: Buffer, replies: number): Promise<number[]> =>
  new Promise((resolve, reject) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      if (statuses.length >= replies) resolve(statuses);
    });
    socket.on('error', reject).on('close', () => reject(new Error('closed')));
    socket.write(bytes);
  });

const ALONE: Pipelined = { connections: 1, requests: 1, isKept: false };

/** Sends bytes on a new connection, or on many at once, and awaits the replies. The highest status stands for them. */
export const exchange = async (
  port: number,
  bytes: Buffer,
  timeout: number,
  { connections, requests, isKept } = ALONE,
): Promise<Reply> => {
  const sockets = Array.from({ length: connections }, () => open(port));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(NO_REPLY)), timeout);
  });
  const ofAll = <T>(send: (socket: Socket) => Promise<T>): Promise<T[]> =>
    Promise.race([late, Promise.all(sockets.map(send))]);
  let started = performance.now();
  const took = () => performance.now() - started;
  try {
    if (isKept) await ofAll((socket) => ask(socket, HEALTH));
    started = performance.now();
    const statuses = await ofAll(async (socket) =>
      requests === 1
        ? (await ask(socket, bytes)).status
        : Math.max(...(await pipeline(socket, bytes, requests))),
    );
    return { status: Math.max(...statuses), milliseconds: took(), broke: undefined };
  } catch (error) {
    const broke = error instanceof Error ? codeOf(error) || error.message : String(error);
    return { status: undefined, milliseconds: took(), broke };
  } finally {
    clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
  }
};
