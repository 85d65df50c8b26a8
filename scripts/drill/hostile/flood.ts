import type { NewPlant } from '../../../src/plants/plant.ts';
import { bytesOf, type Conversation, makeConversation, requestsOf } from './conversation.ts';
import { escapeBytes } from './escape.ts';
import { exchange } from './exchange.ts';
import { judge, type Received } from './judge.ts';
import type { Results } from './results.ts';
import { shrink } from './shrink.ts';

/** With so many findings, more requests would show nothing new. */
const MAX_FINDINGS = 200;

/** What a flood sends, where to, and who learns about it. */
export interface FloodOptions {
  readonly port: number;
  readonly seed: number;
  /** How many requests in total. */
  readonly requests: number;
  /** How many at a time. A machine that is busy with other work gets refusals (503) from many. */
  readonly connections?: number | undefined;
  readonly results: Results;
  /** Called after each conversation with the number of requests so far. */
  readonly onProgress?: (requests: number) => void;
}

/** Sends hostile requests on many connections at a time, and judges every reply. */
export const createFlood = ({
  port,
  seed,
  requests,
  connections = 48,
  results,
  onProgress,
}: FloodOptions) => {
  const canaries: NewPlant[] = [];
  const shrunkAlready = new Set<string>();
  let conversations = 0;
  let begun = 0;
  let done = 0;

  /** Shrinks the first finding of a sort; others of that sort would shrink to the same. */
  const shrinkOnce = async (index: number, what: string, kind: string) => {
    const sort = `${kind}: ${what}`;
    if (shrunkAlready.has(sort)) return undefined;
    shrunkAlready.add(sort);
    return await shrink(port, { seed, index }, { what, kind });
  };

  const judgeAll = async (index: number, conversation: Conversation, received: Received): Promise<void> => {
    for (const verdict of judge(conversation, received)) {
      results.countVerdict(verdict);
      for (const what of verdict.flaws)
        await results.add(what, verdict.kind, async () => ({
          conversation: index,
          sent: escapeBytes(bytesOf(conversation)),
          received: escapeBytes(received.bytes),
          shrunk: await shrinkOnce(index, what, verdict.kind),
        }));
    }
  };

  const work = async (until: number): Promise<void> => {
    while (begun < until && results.found() < MAX_FINDINGS) {
      const index = conversations;
      const conversation = makeConversation(seed, index, requests - begun);
      const size = requestsOf(conversation).length;
      conversations += 1;
      begun += size;
      const received = await exchange(port, conversation);
      results.countSent(conversation);
      if (conversation.ending === 'close') await judgeAll(index, conversation, received);
      if (conversation.canary) canaries.push(conversation.canary);
      done += size;
      onProgress?.(done);
    }
  };

  return {
    /** Plants that must be stored exactly. */
    canaries,
    conversations: () => conversations,
    requests: () => done,
    /** Sends requests until there are so many, or too many findings. */
    async runUntil(count: number): Promise<void> {
      await Promise.all(Array.from({ length: connections }, () => work(count)));
    },
  };
};
