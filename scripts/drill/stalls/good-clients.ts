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

const isAllSeen = (answer: unknown): answer is Readonly<Record<GoodClient, Seen>> =>
  typeof answer === 'object' && answer !== null && GOOD_CLIENTS.every((client) => client in answer);

/** Starts good clients of a service, in a process of their own. End it when done. */
export const startGoodClients = async (url: string, clients: readonly GoodClient[] = GOOD_CLIENTS) => {
  const child = startChild(new URL('./good-client-loop.ts', import.meta.url));
  await child.ask(['start', new URL(url).port, ...clients], isDone);
  return {
    /** Discards what was seen so far. */
    mark: () => child.ask(['mark'], isDone),
    /** What the clients have seen since the last mark. Awaits one more answer to each, up to the timeout. */
    read: (timeout = 0) => child.ask(['read', timeout], isAllSeen),
    end: child.end,
  };
};

/** Running good clients. */
export type GoodClients = Awaited<ReturnType<typeof startGoodClients>>;
