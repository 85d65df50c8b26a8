import { isDone, startChild } from './child.ts';
import { isLatency, type Seen } from './latency.ts';

const isByName = (answer: unknown): answer is Readonly<Record<string, Seen>> =>
  typeof answer === 'object' &&
  answer !== null &&
  Object.values(answer).every((each) => isLatency(each) && 'failures' in each && 'statuses' in each);

/** What a client does: create plants on a kept connection, or request /healthz on new ones or, more often, on a kept one. */
export type Kind = 'creates' | 'health' | 'probe';

/** Starts a process for well-behaved clients, each with a name. End it when done. */
export const startGoodClients = () => {
  const child = startChild(new URL('./loop.ts', import.meta.url));
  return {
    /** Starts a client, instead of the one that had this name. */
    start: (name: string, kind: Kind, url: string) =>
      child.ask(['start', name, kind, new URL(url).port], isDone),
    stop: (name: string) => child.ask(['stop', name], isDone),
    /** Discards what was seen so far. */
    mark: () => child.ask(['mark'], isDone),
    /** What each client has seen since the last mark. Awaits one more answer to each, up to the timeout. */
    read: (timeout = 0) => child.ask(['read', timeout], isByName),
    end: child.end,
  };
};

/** A process of well-behaved clients. */
export type GoodClients = ReturnType<typeof startGoodClients>;
