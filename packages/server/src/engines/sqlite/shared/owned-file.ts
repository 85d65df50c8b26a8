import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskOwner, OpenOptions } from '../../options.ts';
import { type Channel, createConversation, type Runner } from '../conversation.ts';
import type { SqliteSchema } from '../file/schema.ts';
import type { Answer, Ask, Reply } from '../protocol.ts';
import { receiveFrames, sendFrame } from './frames.ts';

/** Asks the owner of a file to have it open. */
export interface OwnerAsk {
  readonly path: string;
  readonly schema: SqliteSchema;
}

/** Where the thread of the file answers, or why it is not open. */
export type OwnerAnswer = { readonly socket: string } | Required<Pick<Answer, 'failure'>>;

const channelOf = (socket: Socket): Channel => ({
  send: (request) => sendFrame(socket, request),
  receive(onReply, onEnd) {
    let last: Answer<never> | undefined;
    receiveFrames(socket, (reply: Reply<never>) => {
      if (reply.answer.isLast) last = reply.answer;
      else onReply(reply);
    });
    socket.on('error', (cause) => {
      last ??= { failure: { reason: 'unreachable', cause } };
    });
    socket.once('close', () => onEnd(last));
  },
  hold: (isHeld) => (isHeld ? socket.ref() : socket.unref()),
});

type Failed = Extract<OwnerAnswer, { readonly failure: unknown }>;

const unreachable = (cause: unknown): Failed => ({ failure: { reason: 'unreachable', cause } });

const OWNER_IS_LATE: Failed = {
  failure: { reason: 'timeout', cause: new Error('the process that owns the store did not answer') },
};

/** How a file is opened: `timeout` is in milliseconds. */
interface OwnedFileOptions extends Required<Pick<OpenOptions, 'mayBeUnavailable'>> {
  readonly timeout: number;
}

/**
 * Opens a file at the process that owns it. The owner says where the thread of the file answers, and this process then
 * asks the thread. When the thread has ended, it asks the owner again.
 */
export const openOwnedFile = async (
  what: OwnerAsk,
  askOwner: AskOwner,
  { timeout, mayBeUnavailable }: OwnedFileOptions,
): Promise<Runner> => {
  const find: (what: OwnerAsk) => Promise<OwnerAnswer> = askOwner;
  const open = async () => {
    const found = await find(what).catch(unreachable);
    if ('failure' in found) return found;
    const socket = connect(found.socket);
    const { opened, ask, isOver } = createConversation(channelOf(socket), timeout);
    const tooLate = setTimeout(
      () => socket.destroy(new Error('the thread of the store did not answer')),
      timeout,
    );
    await opened;
    clearTimeout(tooLate);
    return { socket, ask, isOver };
  };
  let opening: Promise<Failed | Awaited<ReturnType<typeof open>>> | undefined;
  let current = await open();
  if ('failure' in current && !mayBeUnavailable) throw current.failure.cause;

  /** While the owner is late all requests fail at once: see `createConversation`. */
  const reopen = () => {
    const opened = open().then((found) => {
      current = found;
      opening = undefined;
      return found;
    });
    opening = Promise.race([opened, sleep(timeout, OWNER_IS_LATE, { ref: false })]);
    return opening;
  };
  return {
    async ask<Item>(asked: Ask, within?: number): Promise<Answer<Item>> {
      const found = 'failure' in current || current.isOver() ? await (opening ?? reopen()) : current;
      return 'failure' in found ? { failure: found.failure } : found.ask(asked, within);
    },
    async close() {
      if ('socket' in current) current.socket.end();
    },
  };
};
