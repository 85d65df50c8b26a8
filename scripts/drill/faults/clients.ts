import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { createChance } from '../chance.ts';
import type { Deed, Memory } from '../subjects/subject.ts';
import { createSender } from './send.ts';

/** How long a repair and what follows it may take, in milliseconds: a busy machine starts a database in minutes. */
const MOST_WAIT = 600_000;

/** One client in so many opens a connection for each request. The others keep theirs. */
const NEW_EACH_TIME = 4;

/**
 * Starts clients that send requests as fast as the services answer. They repeat a request that was refused or not answered
 * until it is answered.
 */
export const startClients = (
  count: number,
  seed: number,
  { createClient }: Pick<Memory, 'createClient'>,
  targets: () => readonly string[],
  clock = () => performance.now() / 1000,
) => {
  const counts = {
    /** Answered with 503. The clients sent them again later. */
    refused: 0,
    /** On connections that broke before the answer. */
    unanswered: 0,
    /** On kept connections that the service had closed before they arrived. They break no promise. */
    tooLate: 0,
  };
  const wrong: string[] = [];
  let answered = 0;
  /** The time by the wall and by the clock, in seconds. */
  const now = () => ({ wall: performance.now() / 1000, clock: clock() });
  /** How long a client has waited by the clock that says less: a busy machine makes one late, many threads the other. */
  const waitedSince = (sent: ReturnType<typeof now>): number => {
    const { wall, clock } = now();
    return Math.min(wall - sent.wall, clock - sent.clock);
  };
  /** When each client first sent what it waits for, and the longest that one has waited. */
  const sentAt: ReturnType<typeof now>[] = [];
  let slowest = 0;
  const chance = createChance(seed, 'clients');
  let running = true;

  const runClient = async (_: unknown, nth: number): Promise<void> => {
    const nextDeed = createClient(chance);
    const { send, close } = createSender(nth % NEW_EACH_TIME > 0);
    let failed: Deed | undefined;
    while (running) {
      const urls = targets();
      const sent = (failed && sentAt[nth]) ?? now();
      sentAt[nth] = sent;
      const deed = failed ?? nextDeed();
      const reply = urls.length > 0 ? await send(chance.pick(...urls), deed.request) : 'refused';
      if (reply === 'unanswered') counts.unanswered += 1;
      if (reply === 'too late') counts.tooLate += 1;
      if (typeof reply === 'object' && reply.status !== 503) {
        const why = deed.settle(reply, failed !== undefined);
        if (why === undefined) answered += 1;
        else wrong.push(why);
        failed = undefined;
        slowest = Math.max(slowest, waitedSince(sent));
      } else {
        if (typeof reply === 'object') counts.refused += 1;
        failed = deed;
        await sleep(5);
      }
    }
    close();
  };

  const clients = Array.from({ length: count }, runClient);
  return {
    counts,
    /** Answers that break the contract. */
    wrong,
    /** Resolves after more right answers, or after a wrong one. */
    answers: async (more: number): Promise<void> => {
      const wanted = answered + more;
      await until(
        `${more} more requests are answered`,
        () => answered >= wanted || wrong.length > 0,
        MOST_WAIT,
      );
    },
    /** The longest that a client has waited for an answer since the last call, or still waits, in seconds. */
    takeSlowest: (): number => {
      const longest = Math.max(slowest, ...sentAt.map(waitedSince));
      slowest = 0;
      return longest;
    },
    /** Resolves after one more 503. */
    refusal: async (): Promise<void> => {
      const { refused } = counts;
      await until('a request is refused', () => counts.refused > refused, MOST_WAIT);
    },
    /** Stops after the answers to what has been sent. */
    async stop(): Promise<void> {
      running = false;
      await Promise.all(clients);
    },
  };
};

/** Running clients. */
export type Clients = ReturnType<typeof startClients>;
