import type { Socket } from 'node:net';
import { codeOf } from '../../../packages/openapi/src/json/error-code.ts';
import { ask, HOST, NO_ANSWER, open, writeRequest } from '../wire.ts';
import type { Crowd } from './case.ts';

/** The answer to a request. */
export interface Answer {
  /** `undefined` if there was no answer. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  /** Why there was no answer. */
  readonly broke: string | undefined;
}

/** Sends a request on a new connection, and awaits the whole answer. */
export const exchange = async (port: number, bytes: Buffer, timeout: number): Promise<Answer> => {
  const started = performance.now();
  const socket = open(port);
  const answer = await ask(socket, bytes, timeout).catch((error: Error) => codeOf(error) || error.message);
  socket.destroy();
  const milliseconds = performance.now() - started;
  return typeof answer === 'string'
    ? { status: undefined, milliseconds, broke: answer }
    : { status: answer.status, milliseconds, broke: undefined };
};

const HEALTH = writeRequest('GET /healthz HTTP/1.1', [HOST]);

/** Sends bytes on a connection, and awaits so many answers; gives their statuses. */
const pipeline = (socket: Socket, bytes: Buffer, answers: number): Promise<number[]> =>
  new Promise((resolve, reject) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      if (statuses.length >= answers) resolve(statuses);
    });
    socket.on('error', reject).on('close', () => reject(new Error('closed')));
    socket.write(bytes);
  });

/** Lets a crowd send the same bytes at once, and awaits all answers. The highest status stands for them. */
export const exchangeMany = async (
  port: number,
  bytes: Buffer,
  { connections, requests, isKept }: Crowd,
  timeout: number,
): Promise<Answer> => {
  const sockets = Array.from({ length: connections }, () => open(port));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(NO_ANSWER)), timeout);
  });
  let started = performance.now();
  try {
    if (isKept) await Promise.race([late, Promise.all(sockets.map((socket) => ask(socket, HEALTH)))]);
    started = performance.now();
    const answers = Promise.all(sockets.map((socket) => pipeline(socket, bytes, requests)));
    const statuses = await Promise.race([late, answers]);
    return {
      status: Math.max(...statuses.flat()),
      milliseconds: performance.now() - started,
      broke: undefined,
    };
  } catch (error) {
    const broke = error instanceof Error ? codeOf(error) || error.message : String(error);
    return { status: undefined, milliseconds: performance.now() - started, broke };
  } finally {
    clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
  }
};
