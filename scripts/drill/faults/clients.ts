import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { until } from '../../support/until.ts';
import { TOKEN } from '../plant-store.ts';
import { type Reply, send } from './send.ts';

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

const HEADERS = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };

const toBody = ({ id, name, tag }: SentPlant): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)}}`;

/** How long a repair and what follows it may take, in milliseconds: a busy machine starts a database in minutes. */
const MOST_WAIT = 600_000;

/** One client in so many opens a connection for each request. The others keep theirs. */
const NEW_EACH_TIME = 4;

/** What a client does next: mostly create a new plant, sometimes one that exists, or another one with its id. */
const steps = fc.record({
  what: fc.oneof(
    { weight: 18, arbitrary: fc.constant('new' as const) },
    { weight: 2, arbitrary: fc.constantFrom('same' as const, 'other' as const) },
  ),
  id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  tag: fc.nat(),
  /** Chooses a service, or a plant that exists. */
  choice: fc.nat(),
});

/** Endless steps, the same ones for the same seed. Unbiased, or ids would soon repeat. */
const stepsOf = (seed: number) => {
  const [stream] = fc.sample(fc.infiniteStream(steps, { noHistory: true }), {
    seed,
    numRuns: 1,
    unbiased: true,
  });
  return () => {
    const next = stream?.next();
    if (!next || next.done) throw new Error('fast-check generated nothing');
    return next.value;
  };
};

/**
 * Starts clients that create plants as fast as the services answer. They also repeat some plants, and try some ids with
 * another plant. They repeat a request that was refused or not answered until it is answered.
 */
export const startClients = (count: number, seed: number, targets: () => readonly string[]) => {
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
  const [kept, fresh] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: false })];
  const nextStep = stepsOf(seed);
  let running = true;

  const nextCreate = (known: readonly SentPlant[]): Create => {
    const { what, id, tag, choice } = nextStep();
    const existing = what === 'new' ? undefined : known[choice % known.length];
    if (!existing) return { plant: { id: `${id}`, name: `plant ${id}`, tag: `tag ${tag}` }, expected: 200 };
    return what === 'same'
      ? { plant: existing, expected: 200 }
      : { plant: { ...existing, name: 'another' }, expected: 409 };
  };

  const settle = ({ plant, expected }: Create, { status, text }: Reply): void => {
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
    const agent = nth % NEW_EACH_TIME === 0 ? fresh : kept;
    let failed: Create | undefined;
    while (running) {
      const urls = targets();
      const url = urls[nextStep().choice % urls.length];
      const create: Create = failed ?? nextCreate(known);
      const reply =
        url && (await send({ agent, url: `${url}/plants`, headers: HEADERS, body: toBody(create.plant) }));
      if (reply === 'unanswered') counts.unanswered += 1;
      if (reply === 'too late') counts.tooLate += 1;
      if (typeof reply === 'object') settle(create, reply);
      const isAnswered = typeof reply === 'object' && reply.status !== 503;
      failed = isAnswered ? undefined : create;
      if (!isAnswered) await sleep(5);
      else if (reply.status === 200) known.push(create.plant);
    }
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
    /** Resolves after one more 503. */
    refusal: async (): Promise<void> => {
      const { refused } = counts;
      await until('a create is refused', () => counts.refused > refused, MOST_WAIT);
    },
    /** Stops after the answers to what has been sent. */
    async stop(): Promise<void> {
      running = false;
      await Promise.all(clients);
      kept.destroy();
      fresh.destroy();
    },
  };
};

/** Running clients. */
export type Clients = ReturnType<typeof startClients>;
