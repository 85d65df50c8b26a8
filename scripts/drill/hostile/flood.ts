import type { NewPlant } from '../../../src/plants/plant.ts';
import { type Conversation, makeConversation } from './conversation.ts';
import { exchange } from './exchange.ts';
import { judge } from './judge.ts';
import type { Tally } from './tally.ts';

/** How many connections there are at a time. */
const CONNECTIONS = 48;
/** By then something is so wrong that more of it tells nothing new. */
const ENOUGH = 200;

/** What a flood is made of. */
export interface FloodOptions {
  readonly port: number;
  readonly seed: number;
  /** How many in all. */
  readonly requests: number;
  readonly tally: Tally;
  /** Told of the number of requests whenever a conversation is over. */
  readonly onProgress?: (requests: number) => void;
}

/** Sends hostile requests, many connections at a time, and judges every answer. */
export const createFlood = ({ port, seed, requests, tally, onProgress }: FloodOptions) => {
  const canaries: NewPlant[] = [];
  let conversations = 0;
  let begun = 0;
  let done = 0;

  const hold = async (conversation: Conversation, size: number): Promise<void> => {
    const received = await exchange(port, conversation);
    tally.countSent(conversation);
    if (conversation.ending === 'close')
      for (const verdict of judge(conversation, received))
        tally.countVerdict(conversation, received, verdict);
    if (conversation.canary) canaries.push(conversation.canary);
    done += size;
    onProgress?.(done);
  };

  const work = async (until: number): Promise<void> => {
    while (begun < until && tally.found() < ENOUGH) {
      const conversation = makeConversation(seed, conversations, requests - begun);
      const size = conversation.framed.length + (conversation.last ? 1 : 0);
      conversations += 1;
      begun += size;
      await hold(conversation, size);
    }
  };

  return {
    /** Plants that were sent as they should be: they must be in the store, to the letter. */
    canaries,
    conversations: () => conversations,
    requests: () => done,
    /** Goes on until about so many requests have been sent, or more is wrong than anybody will read. */
    async runUntil(some: number): Promise<void> {
      await Promise.all(Array.from({ length: CONNECTIONS }, () => work(some)));
    },
  };
};
