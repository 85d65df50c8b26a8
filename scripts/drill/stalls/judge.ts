import type { Figures } from '../measure/figures.ts';
import { type Answer, NO_ANSWER } from './exchange.ts';

/** How much longer a probe may wait than one of an idle service at the same time, in milliseconds. */
export const MOST_WAIT = 250;
/** How much memory one request may take, in MiB. */
export const MOST_MEMORY = 150;
/** A request without an answer by then has none, in milliseconds. */
export const PATIENCE = 10_000;

/** What was seen while one request was served. */
export interface Measured {
  readonly answer: Answer;
  /** What a probe of this service waited, and of an idle one at the same time. */
  readonly probes: Figures;
  readonly idle: Figures;
  /** For how long the service used the processor meanwhile. */
  readonly busy: number;
  /** What the service had at most, beyond what it had before, in MiB; not a number if it is gone. */
  readonly memory: number;
}

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;

const judgeAnswer = ({ status, broke }: Answer, expects?: readonly number[]): string[] => {
  if (status === undefined)
    return [broke === NO_ANSWER ? `no answer within ${PATIENCE / 1000} s` : `no answer: ${broke}`];
  if (status >= 500) return [`status ${status}`];
  return expects && !expects.includes(status)
    ? [`status ${status}, where only ${expects.join(' or ')} is right`]
    : [];
};

/** What of a wait is not the machine's: an idle service did not wait too, and this one was at work for as long. */
export const excessOf = ({ probes, idle, busy }: Pick<Measured, 'probes' | 'idle' | 'busy'>): number =>
  Math.min(probes.most - idle.most, busy);

/** Says what is wrong with what was seen; nothing if it is as it should be. */
export const judge = (measured: Measured, expects?: readonly number[]): string[] => {
  const { answer, probes, idle, busy, memory } = measured;
  return [
    ...judgeAnswer(answer, expects),
    ...(excessOf(measured) > MOST_WAIT
      ? [
          `/healthz waited ${milliseconds(probes.most)} (an idle service: ${milliseconds(idle.most)}), busy for ${milliseconds(busy)}`,
        ]
      : []),
    ...(Number.isNaN(memory) ? ['the process is gone'] : []),
    ...(memory > MOST_MEMORY ? [`${memory.toFixed(0)} MiB more memory`] : []),
  ];
};
