import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import type { WireReply } from '../../support/wire.ts';
import { createChance } from '../chance.ts';
import type { Deed, Memory } from '../subjects/subject.ts';
import { createSender, type NoReply } from './send.ts';

/** Milliseconds that a repair may take: a busy machine starts a database in minutes. */
const MOST_WAIT = 600_000;

/** One client in four opens a connection for each request. The others keep theirs. */
const NEW_EACH_TIME = 4;

/** Measures how long clients wait for replies, by the wall clock and by the clock of a scene, in seconds. */
const createStopwatch = (clock: () => number) => {
  const now = () => ({ wall: performance.now() / 1000, clock: clock() });
  /** When each client first sent its pending request. */
  const sentAt = new Map<number, ReturnType<typeof now>>();
  let slowest = 0;
  /** The shorter time of both clocks: a busy machine makes the one late, many threads the other. */
  const waitOf = (client: number): number => {
    const [sent, time] = [sentAt.get(client), now()];
    return sent ? Math.min(time.wall - sent.wall, time.clock - sent.clock) : 0;
  };
  return {
    /** Starts the time of a client's request, unless it is a repetition. */
    start(client: number, isRepeated: boolean): void {
      if (!isRepeated || !sentAt.has(client)) sentAt.set(client, now());
    },
    stop(client: number): void {
      slowest = Math.max(slowest, waitOf(client));
    },
    /** The longest wait since the last call, pending requests included. */
    takeSlowest(): number {
      const longest = Math.max(slowest, ...[...sentAt.keys()].map(waitOf));
      slowest = 0;
      return longest;
    },
  };
};

/** Counts replies. */
const createTally = () => {
  /** Answers that break the contract. */
  const wrong: string[] = [];
  return {
    /** Right answers. */
    answered: 0,
    /** Answered with 503. The clients sent them again later. */
    refused: 0,
    /** On connections that broke before the answer. */
    unanswered: 0,
    /** On kept connections that the service had closed before they arrived. They break no promise. */
    tooLate: 0,
    wrong,
  };
};

/** Records a reply; returns whether the request is done. */
const record = (
  tally: ReturnType<typeof createTally>,
  reply: WireReply | NoReply,
  deed: Deed,
  isRepeated: boolean,
): boolean => {
  if (reply === 'unanswered') tally.unanswered += 1;
  if (reply === 'too late') tally.tooLate += 1;
  if (typeof reply !== 'object') return false;
  if (reply.status === 503) tally.refused += 1;
  if (reply.status === 503) return false;
  const why = deed.settle(reply, isRepeated);
  if (why === undefined) tally.answered += 1;
  else tally.wrong.push(why);
  return true;
};

/**
 * Starts clients that send requests as fast as the services answer. They repeat a request that was refused or not
 * answered until it is answered.
 */
export const startClients = (
  count: number,
  seed: number,
  { createClient }: Pick<Memory, 'createClient'>,
  targets: () => readonly string[],
  clock = () => performance.now() / 1000,
) => {
  const tally = createTally();
  const stopwatch = createStopwatch(clock);
  const chance = createChance(seed, 'clients');
  let running = true;

  const runClient = async (_: unknown, nth: number): Promise<void> => {
    const nextDeed = createClient(chance);
    const { send, close } = createSender(nth % NEW_EACH_TIME > 0);
    let failed: Deed | undefined;
    while (running) {
      const urls = targets();
      stopwatch.start(nth, failed !== undefined);
      const deed = failed ?? nextDeed();
      const reply = urls.length > 0 ? await send(chance.pick(...urls), deed.request) : 'refused';
      const isDone = record(tally, reply, deed, failed !== undefined);
      if (isDone) stopwatch.stop(nth);
      failed = isDone ? undefined : deed;
      if (failed) await sleep(5);
    }
    close();
  };

  const clients = Array.from({ length: count }, runClient);
  return {
    tally,
    takeSlowest: stopwatch.takeSlowest,
    /** Resolves after more right answers, or after a wrong one. */
    answers: (more: number): Promise<void> => {
      const wanted = tally.answered + more;
      const isOver = () => tally.answered >= wanted || tally.wrong.length > 0;
      return until(`${more} more requests are answered`, isOver, MOST_WAIT);
    },
    /** Resolves after one more 503. */
    refusal: (): Promise<void> => {
      const { refused } = tally;
      return until('a request is refused', () => tally.refused > refused, MOST_WAIT);
    },
    /** Stops after the pending replies. */
    stop: async (): Promise<void> => {
      running = false;
      await Promise.all(clients);
    },
  };
};

/** Running clients. */
export type Clients = ReturnType<typeof startClients>;
