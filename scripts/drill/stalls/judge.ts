import type { Latency } from '../measure/latency.ts';
import { NO_ANSWER } from '../wire.ts';
import type { Answer } from './exchange.ts';

/** How much longer a probe may wait than at an idle service at the same time, in milliseconds. */
export const MAX_WAIT = 250;
/** How much memory one request may use, in MiB. */
export const MAX_MEMORY = 150;
/** How long an answer may take, in milliseconds. */
export const ANSWER_TIMEOUT = 10_000;

/** What was measured while one request was served. */
export interface Measured {
  readonly answer: Answer;
  /** Response times of /healthz at this service, and at an idle one at the same time. */
  readonly probes: Latency;
  readonly idle: Latency;
  /** The CPU time of the service meanwhile, in milliseconds. */
  readonly busy: number;
  /** How much the peak memory of the service rose, in MiB. NaN if the process is gone. */
  readonly memory: number;
}

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;

const judgeAnswer = ({ status, broke }: Answer, expects?: readonly number[]): string[] => {
  if (status === undefined)
    return [broke === NO_ANSWER ? `no answer within ${ANSWER_TIMEOUT / 1000} s` : `no answer: ${broke}`];
  if (expects?.includes(status)) return [];
  if (status >= 500) return [`status ${status}`];
  return expects ? [`status ${status}, where only ${expects.join(' or ')} is right`] : [];
};

/** The part of a wait that the machine did not cause: an idle service did not wait as long, and this one was busy. */
export const excessOf = ({ probes, idle, busy }: Pick<Measured, 'probes' | 'idle' | 'busy'>): number =>
  Math.min(probes.max - idle.max, busy);

/** Returns what is wrong with what was measured. */
export const judge = (measured: Measured, expects?: readonly number[]): string[] => {
  const { answer, probes, idle, busy, memory } = measured;
  return [
    ...judgeAnswer(answer, expects),
    ...(excessOf(measured) > MAX_WAIT
      ? [
          `/healthz waited ${milliseconds(probes.max)} (an idle service: ${milliseconds(idle.max)}), busy for ${milliseconds(busy)}`,
        ]
      : []),
    ...(Number.isNaN(memory) ? ['the process is gone'] : []),
    ...(memory > MAX_MEMORY ? [`${memory.toFixed(0)} MiB more memory`] : []),
  ];
};
