import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../../packages/openapi/src/json/error-code.ts';
import { bytesOf, type Conversation } from './conversation.ts';
import type { Received } from './judge.ts';

/** In milliseconds. The service ends every conversation long before. */
const TIMEOUT = 20_000;

const writePieces = async (socket: Socket, bytes: Buffer, cuts: readonly number[]): Promise<void> => {
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    if (cut > start) socket.write(bytes.subarray(start, cut));
    start = Math.max(start, cut);
    await nextTurn();
  }
};

const tryExchange = (port: number, conversation: Conversation): Promise<Received> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let broke: string | undefined;
    let hangs = false;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    socket.setTimeout(TIMEOUT, () => {
      hangs = true;
      socket.destroy();
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => {
      broke = codeOf(error) || error.message;
    });
    socket.once('close', () => resolve({ bytes: Buffer.concat(chunks), broke, hangs }));
    socket.once('connect', async () => {
      await writePieces(socket, bytesOf(conversation), conversation.cuts);
      if (conversation.ending === 'close') socket.end();
      else socket.resetAndDestroy();
    });
  });

/** The error while the system has no port left. */
const OUT_OF_PORTS = 'EADDRNOTAVAIL';

/** Sends a conversation to a service on this machine, and returns everything it replied until it closed. */
export const exchange = async (port: number, conversation: Conversation): Promise<Received> => {
  for (;;) {
    const received = await tryExchange(port, conversation);
    if (received.broke !== OUT_OF_PORTS) return received;
    await sleep(200);
  }
};
