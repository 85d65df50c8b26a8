import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOKEN } from '../plant-store.ts';
import type { Random } from '../random.ts';
import { type Reply, send } from './send.ts';

/** A plant as it is sent. The id is text, so that it stays exact. */
export interface SentPlant {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
}

/** What the clients have been answered. */
export interface Ledger {
  /** Every plant that was answered with 200, by id. */
  readonly acknowledged: Map<string, SentPlant>;
  /** Requests answered with 503. The clients send them again later. */
  refused: number;
  /** Requests on connections that broke before the answer. */
  unanswered: number;
  /** Requests on kept connections that the service had closed before they arrived. */
  tooLate: number;
  /** Answers that break the contract. */
  readonly wrong: string[];
}

/** Running clients. */
export interface Clients {
  readonly ledger: Ledger;
  /** Resolves at the next 200, with its time in milliseconds. */
  nextAcknowledgement(): Promise<number>;
  /** Resolves after so many more 200s. */
  acknowledgements(count: number): Promise<void>;
  /** Resolves at the next 503. */
  nextRefusal(): Promise<void>;
  /** Stops after the answers to what has been sent. */
  stop(): Promise<void>;
}

/** The headers of every create. */
const HEADERS = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };

const toBody = ({ id, name, tag }: SentPlant): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`;

/** One client in so many opens a connection for each request. The others keep theirs. */
const NEW_EACH_TIME = 4;

/** Counts events, and resolves promises after a number of them. */
const createCounter = () => {
  let count = 0;
  const waiting = new Set<{ until: number; resolve: () => void }>();
  return {
    add(): void {
      count += 1;
      for (const wait of waiting)
        if (count >= wait.until) {
          waiting.delete(wait);
          wait.resolve();
        }
    },
    more: (times: number): Promise<void> =>
      new Promise((resolve) => {
        waiting.add({ until: count + times, resolve });
      }),
  };
};

/**
 * Starts clients that create plants as fast as the services answer. They also repeat some plants, and try some ids with
 * another plant. They repeat a request that was refused or not answered until it is answered.
 */
export const startClients = (options: {
  readonly count: number;
  readonly random: Random;
  /** The URLs of the services that run now. */
  readonly targets: () => readonly string[];
  readonly ledger: Ledger;
}): Clients => {
  const { count, random, targets, ledger } = options;
  const acknowledgements = createCounter();
  const refusals = createCounter();
  const kept = new Agent({ keepAlive: true });
  const fresh = new Agent({ keepAlive: false });
  let running = true;

  const pick = <T>(from: readonly T[]): T | undefined => from[random.below(from.length)];
  const word = () => random.below(2 ** 32);
  const newPlant = (): SentPlant => {
    const id = `${BigInt.asIntN(64, (BigInt(word()) << 32n) | BigInt(word()))}`;
    return { id, name: `plant ${id}`, tag: `tag ${word()}` };
  };

  const settle = (plant: SentPlant, expected: number, { status, text }: Reply): void => {
    if (status === 503) {
      ledger.refused += 1;
      refusals.add();
    } else if (status !== expected)
      ledger.wrong.push(`${JSON.stringify(plant)}: ${status} ${text}, not ${expected}`);
    else if (status === 200) {
      ledger.acknowledged.set(plant.id, plant);
      acknowledgements.add();
    }
  };

  /** Mostly a new plant; sometimes one that exists, or another one with its id. */
  const nextCreate = (known: readonly SentPlant[]): { plant: SentPlant; expected: number } => {
    const existing = random.chance(0.1) ? pick(known) : undefined;
    if (!existing) return { plant: newPlant(), expected: 200 };
    return random.chance(0.5)
      ? { plant: existing, expected: 200 }
      : { plant: { ...existing, name: 'another' }, expected: 409 };
  };

  const runClient = async (_: unknown, nth: number): Promise<void> => {
    const known: SentPlant[] = [];
    const agent = nth % NEW_EACH_TIME === 0 ? fresh : kept;
    let failed: { plant: SentPlant; expected: number } | undefined;
    while (running) {
      const url = pick(targets());
      if (url === undefined) {
        await sleep(5);
        continue;
      }
      const create = failed ?? nextCreate(known);
      const { plant, expected } = create;
      const reply = await send({ agent, url: `${url}/plants`, headers: HEADERS, body: toBody(plant) });
      if (reply === 'unanswered') ledger.unanswered += 1;
      else if (reply === 'too late') ledger.tooLate += 1;
      else if (reply !== 'refused') settle(plant, expected, reply);
      const isAnswered = typeof reply === 'object' && reply.status !== 503;
      failed = isAnswered ? undefined : create;
      if (!isAnswered) await sleep(5);
      else if (reply.status === 200) known.push(plant);
    }
  };

  const clients = Array.from({ length: count }, runClient);
  return {
    ledger,
    acknowledgements: acknowledgements.more,
    nextAcknowledgement: () => acknowledgements.more(1).then(() => performance.now()),
    nextRefusal: () => refusals.more(1),
    async stop() {
      running = false;
      await Promise.all(clients);
      kept.destroy();
      fresh.destroy();
    },
  };
};
