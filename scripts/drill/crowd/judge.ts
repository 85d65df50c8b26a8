import type { Latency, Seen } from '../measure/latency.ts';

/** How much longer the p99 of the good client may be than at an idle service, in milliseconds. */
export const MAX_WAIT = 250;
/** The same for the slowest /healthz beside a crowd of good clients. */
export const MAX_HEALTH_WAIT = 1000;
/** The same for the p99 of that crowd. */
const MAX_SERVED_WAIT = 2000;
/** How much memory a crowd may cost in MiB: 64 for bodies, and the rest for a thousand connections. */
const MAX_MEMORY = 200;

/** What was measured beside one crowd, in milliseconds and MiB. */
export interface Phase {
  readonly title: string;
  /** How much longer the p99 may be than at an idle service. */
  readonly maxWait: number;
  readonly creates: Seen;
  readonly health: Seen;
  /** The same client at an idle service at the same time: how much of the wait is the machine's. */
  readonly idle: { readonly creates: Seen; readonly health: Seen };
  readonly memory: { readonly before: number; readonly max: number; readonly after: number };
}

/** How a crowd of good clients was answered. */
export interface CrowdReport {
  readonly served: Latency;
  readonly connects: Latency;
  /** Requests that still waited at the end. */
  readonly waiting: Latency;
  readonly refused: number;
  readonly unanswered: number;
  readonly unconnected: number;
  readonly wrong: number;
}

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;

const tooLong = (what: string, waited: number, idle: number, max: number): string[] =>
  waited - idle > max ? [`${what} ${milliseconds(waited)} (an idle service: ${milliseconds(idle)})`] : [];

const judgeSeen = (what: string, { failures, statuses, p99 }: Seen, idle: Seen, max: number): string[] => [
  ...tooLong(`p99 of ${what} is`, p99, idle.p99, max),
  ...(failures > 0 ? [`${failures} ${what} failed (${statuses.join(', ')})`] : []),
];

const judgeMemory = ({ before, max }: Phase['memory']): string[] =>
  max - before < MAX_MEMORY ? [] : [`memory grew from ${before.toFixed(0)} to ${max.toFixed(0)} MiB`];

/** Returns what is wrong with how a good client was served beside a hostile crowd. */
export const judgePhase = ({ creates, health, idle, memory, maxWait }: Phase): string[] => [
  ...judgeSeen('creates', creates, idle.creates, maxWait),
  ...judgeSeen('/healthz', health, idle.health, maxWait),
  ...judgeMemory(memory),
];

/** Returns what is wrong with how a crowd of good clients was served: each in bounded time or refused, none dropped. */
export const judgeCrowd = (crowd: CrowdReport, { health, idle, memory }: Phase): string[] => [
  ...tooLong('p99 of those served is', crowd.served.p99, idle.creates.max, MAX_SERVED_WAIT),
  ...tooLong('the longest wait at the end is', crowd.waiting.max, idle.creates.max, MAX_SERVED_WAIT),
  ...tooLong('the longest /healthz took', health.max, idle.health.max, MAX_HEALTH_WAIT),
  ...tooLong('the longest handshake took', crowd.connects.max, idle.health.max, MAX_HEALTH_WAIT),
  ...(crowd.unanswered > 0 ? [`${crowd.unanswered} requests were left unanswered`] : []),
  ...(crowd.unconnected > 0 ? [`${crowd.unconnected} connections failed`] : []),
  ...(crowd.wrong > 0 ? [`${crowd.wrong} answers were neither 200 nor 503`] : []),
  ...(health.failures > 0 ? [`${health.failures} /healthz failed (${health.statuses.join(', ')})`] : []),
  ...judgeMemory(memory),
];
