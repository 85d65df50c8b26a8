import { isDone, startChild } from './child.ts';

/** The good clients of a service: one creates plants on a kept connection, one requests /healthz on new ones. */
export const GOOD_CLIENTS = ['creates', '/healthz'] as const;

/** A good client. */
export type GoodClient = (typeof GOOD_CLIENTS)[number];

/** How the requests of a good client were answered. */
export interface Seen {
  /** The longest wait in milliseconds. A request that still waits counts with its wait so far. */
  readonly slowest: number;
  /** How many were answered with 200. */
  readonly answered: number;
  /** The statuses of the others. 0 means no answer. */
  readonly failures: readonly number[];
}

/** What is seen where nothing was sent. */
export const NOTHING: Seen = { slowest: 0, answered: 0, failures: [] };

const isByName = (answer: unknown): answer is Readonly<Record<string, Seen>> =>
  typeof answer === 'object' &&
  answer !== null &&
  Object.values(answer).every((each) => 'slowest' in each && 'failures' in each);

/** Starts a process for the good clients of several services. End it when done. */
export const startGoodClients = () => {
  const child = startChild(new URL('./good-client-loop.ts', import.meta.url));
  return {
    /** Starts a client of a service, instead of the one before. */
    start: (service: string, client: GoodClient, url: string) =>
      child.ask(['start', `${service} ${client}`, client, new URL(url).port], isDone),
    stop: (service: string, client: GoodClient) => child.ask(['stop', `${service} ${client}`], isDone),
    /** Discards what was seen so far. */
    mark: () => child.ask(['mark'], isDone),
    /** What the clients have seen since the last mark. Awaits one more answer to each, up to the timeout. */
    async read(timeout = 0) {
      const seen = await child.ask(['read', timeout], isByName);
      return (service: string, client: GoodClient): Seen => seen[`${service} ${client}`] ?? NOTHING;
    },
    end: child.end,
  };
};

/** A process of good clients. */
export type GoodClients = ReturnType<typeof startGoodClients>;
