import { readPeak, resetPeak } from '../../support/memory.ts';
import { usageOf } from '../../support/usage.ts';
import type { GoodClients } from '../measure/good-clients.ts';
import { type Latency, NOTHING } from '../measure/latency.ts';
import { NO_ANSWER } from '../wire.ts';
import type { StallCase } from './case.ts';
import { type Answer, exchange } from './exchange.ts';
import type { Services, Target } from './services.ts';

/** How much longer a probe may wait than at an idle service at the same time, in milliseconds. */
const MAX_WAIT = 250;
/** How much memory one request may use, in MiB. */
const MAX_MEMORY = 150;
/** How long an answer may take, in milliseconds. */
const ANSWER_TIMEOUT = 10_000;

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
const excessOf = ({ probes, idle, busy }: Pick<Measured, 'probes' | 'idle' | 'busy'>): number =>
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

/** A longer excess is no coincidence, in milliseconds. A shorter one must occur again. */
const SURE_EXCESS = 2000;
const TRIES = 3;

/** Sends one request, or those of a crowd, and measures the service and the idle one meanwhile. */
export const measure = async (
  { service: { pid }, port }: Target,
  probes: GoodClients,
  { to, bytes, crowd }: Pick<StallCase, 'to' | 'bytes' | 'crowd'>,
): Promise<Measured> => {
  await resetPeak(pid);
  const [before, used] = [await readPeak(pid), usageOf(pid)?.cpuSeconds ?? 0];
  await probes.mark();
  const answer = await exchange(port, bytes, ANSWER_TIMEOUT, crowd);
  const seen = await probes.read(answer.status === undefined ? 100 : ANSWER_TIMEOUT);
  return {
    answer,
    probes: seen[to] ?? NOTHING,
    idle: seen.idle ?? NOTHING,
    // Without /proc, the service is taken for busy all the time.
    busy: ((usageOf(pid)?.cpuSeconds ?? Number.POSITIVE_INFINITY) - used) * 1000,
    memory: (await readPeak(pid)) - before,
  };
};

const isMachine = (measured: Measured): boolean =>
  excessOf(measured) > MAX_WAIT && excessOf(measured) < SURE_EXCESS;

/** Sends a case. A wait that the machine may be to blame for counts if it is there every time. */
export const tryCase = async (
  services: Services,
  probes: GoodClients,
  stall: StallCase,
): Promise<Measured> => {
  const target = await services.target(stall.to);
  let least = await measure(target, probes, stall);
  for (let tries = 1; tries < TRIES && least.answer.status !== undefined && isMachine(least); tries += 1) {
    const next = await measure(target, probes, stall);
    if (excessOf(next) < excessOf(least)) least = next;
  }
  // The process is gone, hangs, or keeps memory that the next case must not be blamed for.
  const { answer, memory } = least;
  if (answer.status === undefined || !(memory <= MAX_MEMORY)) await services.stop(stall.to);
  return least;
};
