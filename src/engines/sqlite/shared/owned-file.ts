import { connect, type Socket } from 'node:net';
import type { AskOwner } from '../../options.ts';
import type { SqliteSchema } from '../file.ts';
import type { Runner } from '../lasting-thread.ts';
import { type Channel, createConversation } from '../worker.ts';
import { receiveFrames, sendFrame } from './frames.ts';
import type { Answer, Ask } from './protocol.ts';

/** Asks the owner of a file to have it open. */
export interface OwnerAsk {
  readonly path: string;
  readonly schema: SqliteSchema;
}

/** Where the thread of the file answers, or why it is not open. */
export type OwnerAnswer = { readonly socket: string } | Required<Pick<Answer, 'failure'>>;

const channelOf = (socket: Socket): Channel => ({
  send: (what) => sendFrame(socket, what),
  receive(onAnswer, onEnd) {
    let last: Answer<never> | undefined;
    receiveFrames(socket, (answer: Answer<never>) => {
      if (answer.isLast) last = answer;
      else onAnswer(answer);
    });
    socket.on('error', (cause) => {
      last ??= { failure: { reason: 'unreachable', cause } };
    });
    socket.once('close', () => onEnd(last));
  },
  hold: (isHeld) => (isHeld ? socket.ref() : socket.unref()),
});

/**
 * Opens a file at the process that owns it. The owner says where the thread of the file answers, and this process then
 * asks the thread. When the thread has ended, it asks the owner again.
 */
export const openOwnedFile = async (
  path: string,
  schema: SqliteSchema,
  askOwner: AskOwner,
  timeout: number,
): Promise<Runner> => {
  const find: (what: OwnerAsk) => Promise<OwnerAnswer> = askOwner;
  const open = async () => {
    const found = await find({ path, schema });
    if ('failure' in found) return found;
    const socket = connect(found.socket);
    const { opened, ask, isOver } = createConversation(channelOf(socket), timeout);
    await opened;
    return { socket, ask, isOver };
  };
  let opening: ReturnType<typeof open> | undefined;
  let current = await open();
  if ('failure' in current) throw current.failure.cause;

  const reopen = async () => {
    opening ??= open();
    current = await opening;
    opening = undefined;
    return current;
  };
  return {
    async ask<Row>(what: Ask): Promise<Answer<Row>> {
      const found = 'failure' in current || current.isOver() ? await reopen() : current;
      return 'failure' in found ? { failure: found.failure } : found.ask(what);
    },
    async close() {
      if ('socket' in current) current.socket.end();
    },
  };
};
