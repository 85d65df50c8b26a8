import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import { createChance } from '../chance.ts';
import type { WireReply } from '../wire.ts';
import { createSender } from './send.ts';

/** A plant as it is sent. The id is text, so that it stays exact. */
export interface SentPlant {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
}

/** A plant to send, and the right status. */
interface Create {
  readonly plant: SentPlant;
  readonly expected: 200 | 409;
}

const toBody = ({ id, name, tag }: SentPlant): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`;

/** How long a repair and what follows it may take, in milliseconds: a busy machine starts a database in minutes. */
const MOST_WAIT = 600_000;

/** One client in so many opens a connection for each request. The others keep theirs. */
const NEW_EACH_TIME = 4;

/**
 * Starts clients that create plants as fast as the services answer. They also repeat some plants, and try some ids with
 * another plant. They repeat a request that was refused or not answered until it is answered.
 */
export const startClients = (
  count: number,
  seed: number,
  targets: () => readonly string[],
  clock = () => performance.now() / 1000,
) => {
  /** Every plant that was answered with 200, by id. */
  const acknowledged = new Map<string, SentPlant>();
  const counts = {
    /** Answered with 503. The clients sent them again later. */
    refused: 0,
    /** On connections that broke before the answer. */
    unanswered: 0,
    /** On kept connections that the service had closed before they arrived. They break no promise. */
    tooLate: 0,
  };
  const wrong: string[] = [];
  let acknowledgements = 0;
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
  const choose = <T>(from: readonly T[]): T | undefined => from[chance.between(0, from.length - 1)];
  let running = true;

  /** Mostly a new plant, sometimes one that exists, or another one with its id. */
  const nextCreate = (known: readonly SentPlant[]): Create => {
    const existing = chance.oneIn(10) ? choose(known) : undefined;
    if (!existing) {
      const id = `${chance.int64()}`;
      return { plant: { id, name: `plant ${id}`, tag: `tag ${chance.between(0, 999)}` }, expected: 200 };
    }
    return chance.oneIn(2)
      ? { plant: existing, expected: 200 }
      : { plant: { ...existing, name: 'another' }, expected: 409 };
  };

  const settle = ({ plant, expected }: Create, { status, text }: WireReply): void => {
    if (status === 503) {
      counts.refused += 1;
    } else if (status !== expected)
      wrong.push(`${JSON.stringify(plant)}: ${status} ${text}, not ${expected}`);
    else if (status === 200) {
      acknowledged.set(plant.id, plant);
      acknowledgements += 1;
    }
  };

  const runClient = async (_: unknown, nth: number): Promise<void> => {
    const known: SentPlant[] = [];
    const { send, close } = createSender(nth % NEW_EACH_TIME > 0);
    let failed: Create | undefined;
    while (running) {
      const url = choose(targets());
      const sent = (failed && sentAt[nth]) ?? now();
      sentAt[nth] = sent;
      const create: Create = failed ?? nextCreate(known);
      const reply = url && (await send(url, toBody(create.plant)));
      if (reply === 'unanswered') counts.unanswered += 1;
      if (reply === 'too late') counts.tooLate += 1;
      if (typeof reply === 'object') settle(create, reply);
      const isAnswered = typeof reply === 'object' && reply.status !== 503;
      failed = isAnswered ? undefined : create;
      if (isAnswered) slowest = Math.max(slowest, waitedSince(sent));
      if (!isAnswered) await sleep(5);
      else if (reply.status === 200) known.push(create.plant);
    }
    close();
  };

  const clients = Array.from({ length: count }, runClient);
  return {
    acknowledged,
    counts,
    /** Answers that break the contract. */
    wrong,
    /** Resolves after so many more 200s. */
    acknowledgements: async (more: number): Promise<void> => {
      const wanted = acknowledgements + more;
      await until(`${more} more creates are acknowledged`, () => acknowledgements >= wanted, MOST_WAIT);
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
      await until('a create is refused', () => counts.refused > refused, MOST_WAIT);
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
