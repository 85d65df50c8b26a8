import { connect, type Socket } from 'node:net';
import type { AskOwner } from '../../options.ts';
import { type Channel, createConversation } from '../conversation.ts';
import type { SqliteSchema } from '../file/schema.ts';
import { createLasting, type LastingRunner, refused } from '../lasting.ts';
import type { Answer, Failure } from '../protocol.ts';
import { receiveFrames, sendFrame } from './frames.ts';

/** Asks the owner of a file to have it open. It answers with the socket of the file's thread. */
export interface OwnerAsk {
  readonly path: string;
  readonly schema: SqliteSchema;
}

const unreachable = (cause: unknown): Failure => ({ reason: 'unreachable', cause });

const channelOf = (socket: Socket): Channel => ({
  send: (request) => sendFrame(socket, request),
  receive(onReply, onEnd) {
    let failure: Failure | undefined;
    receiveFrames(socket, onReply);
    socket.on('error', (cause) => {
      failure = unreachable(cause);
    });
    socket.once('close', () => onEnd(failure));
  },
  hold: (isHeld) => (isHeld ? socket.ref() : socket.unref()),
});

/**
 * Uses a file by the process that owns it. That says where the thread of the file answers, and this process then asks the
 * thread. When the thread has ended, it asks the owner again.
 */
export const useOwnedFile = (what: OwnerAsk, askOwner: AskOwner, timeout: number): LastingRunner => {
  const find: (what: OwnerAsk) => Promise<Answer<never>> = askOwner;
  const start = async () => {
    const found = await find(what).catch(
      (cause: unknown): Answer<never> => ({ failure: unreachable(cause) }),
    );
    if (found.socket === undefined) return refused(found);
    const socket = connect(found.socket);
    return { ...createConversation(channelOf(socket), timeout), close: async () => void socket.end() };
  };
  return createLasting(start, timeout);
};
