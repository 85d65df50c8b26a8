import { isDone, startChild } from './child.ts';
import { isLatency, type Latency } from './latency.ts';

const isByName = (answer: unknown): answer is Readonly<Record<string, Latency>> =>
  typeof answer === 'object' && answer !== null && Object.values(answer).every(isLatency);

/** Starts a process that requests /healthz of services every few milliseconds. End it when done. */
export const startProber = () => {
  const child = startChild(new URL('./probe.ts', import.meta.url));
  return {
    /** Probes a service under a name, instead of the one that had this name. */
    watch: (name: string, url: string) => child.ask(['watch', name, new URL(url).port], isDone),
    /** Discards the response times so far. */
    mark: () => child.ask(['mark'], isDone),
    /** The response times since the last mark. Awaits one more answer of each service, up to the timeout. */
    read: (timeout: number) => child.ask(['read', timeout], isByName),
    end: child.end,
  };
};

/** A process that requests /healthz all the time. */
export type Prober = ReturnType<typeof startProber>;
