import type { Figures } from '../measure/figures.ts';

/** How long the good client may wait beyond what an idle service shows at the same time, at the 99th percentile. */
export const MOST_WAIT = 250;
/** The same where a crowd has a right to be served: of /healthz the longest wait. */
export const MOST_HEALTH_WAIT = 1000;
/** And for whoever of that crowd is served. */
export const MOST_SERVED_WAIT = 2000;
/** What a crowd may take, in MiB: the budget of 64 for bodies, and what a thousand connections cost. */
export const MOST_MEMORY = 200;

/** What the good client saw of one way to ask. */
export interface Seen extends Figures {
  /** How many were answered 200; the figures also count those that were not asked because another waited. */
  readonly answered: number;
  /** Answers other than 200, and no answer at all. */
  readonly failures: number;
  /** Which, each once; 0 stands for none at all. */
  readonly statuses: readonly number[];
}

/** What a good client saw beside a crowd, in milliseconds and MiB. */
export interface Phase {
  readonly title: string;
  /** What the good client may wait at the 99th percentile, beyond an idle service. */
  readonly mostWait: number;
  readonly creates: Seen;
  readonly health: Seen;
  /** What the same client saw at the same time of a service that has no crowd: that much is the machine's. */
  readonly idle: { readonly creates: Seen; readonly health: Seen };
  readonly memory: { readonly before: number; readonly most: number; readonly after: number };
}

/** What a crowd of good clients saw. */
export interface CrowdFigures {
  readonly served: Figures;
  readonly connects: Figures;
  /** Those that were still waiting at the end. */
  readonly waiting: Figures;
  readonly refused: number;
  readonly unanswered: number;
  readonly unconnected: number;
  readonly wrong: number;
}

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;

const tooLong = (what: string, waited: number, idle: number, most: number): string[] =>
  waited - idle > most ? [`${what} ${milliseconds(waited)} (an idle service: ${milliseconds(idle)})`] : [];

const judgeSeen = (what: string, { failures, statuses, p99 }: Seen, idle: Seen, most: number): string[] => [
  ...tooLong(`p99 of ${what} is`, p99, idle.p99, most),
  ...(failures > 0 ? [`${failures} ${what} failed (${statuses.join(', ')})`] : []),
];

const judgeMemory = ({ before, most }: Phase['memory']): string[] =>
  most - before < MOST_MEMORY ? [] : [`memory grew from ${before.toFixed(0)} to ${most.toFixed(0)} MiB`];

/** Says what is wrong with what a good client saw beside a hostile crowd; nothing if all is well. */
export const judgePhase = ({ creates, health, idle, memory, mostWait }: Phase): string[] => [
  ...judgeSeen('creates', creates, idle.creates, mostWait),
  ...judgeSeen('/healthz', health, idle.health, mostWait),
  ...judgeMemory(memory),
];

/** Says what is wrong with what a crowd of good clients saw: served in bounded time or told to come back, never dropped. */
export const judgeCrowd = (crowd: CrowdFigures, { health, idle, memory }: Phase): string[] => [
  ...tooLong('p99 of those served is', crowd.served.p99, idle.creates.most, MOST_SERVED_WAIT),
  ...tooLong('the longest wait at the end is', crowd.waiting.most, idle.creates.most, MOST_SERVED_WAIT),
  ...tooLong('the longest /healthz took', health.most, idle.health.most, MOST_HEALTH_WAIT),
  ...tooLong('the longest handshake took', crowd.connects.most, idle.health.most, MOST_HEALTH_WAIT),
  ...(crowd.unanswered > 0 ? [`${crowd.unanswered} requests were left unanswered`] : []),
  ...(crowd.unconnected > 0 ? [`${crowd.unconnected} connections failed`] : []),
  ...(crowd.wrong > 0 ? [`${crowd.wrong} answers were neither 200 nor 503`] : []),
  ...(health.failures > 0 ? [`${health.failures} /healthz failed (${health.statuses.join(', ')})`] : []),
  ...judgeMemory(memory),
];
