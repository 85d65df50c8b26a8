import { setTimeout as sleep } from 'node:timers/promises';
import { readPeak, resetPeak } from '../../support/memory.ts';
import { usageOf } from '../../support/usage.ts';
import { arrivalOf, type StallCase } from './cases.ts';
import { type Child, isDone } from './child.ts';
import { exchange, NO_REPLY, type Reply } from './exchange.ts';
import { GOOD_CLIENTS, type GoodClient, type GoodClients, type Seen } from './good-clients.ts';
import type { Services, Target } from './services.ts';

/** How much longer a good client may wait than at an idle service at the same time, in milliseconds. */
const MAX_WAIT = 250;
/** The same beside hundreds of connections, which the service takes in one at a time. */
const MAX_WAIT_BESIDE_CROWDS = 1000;
/** How much memory one case may use unless it says otherwise, in MiB. */
const MAX_MEMORY = 150;
/** How long a reply may take, in milliseconds. */
const REPLY_TIMEOUT = 10_000;
/** How long crowds stay once they are there, and how long it takes until nothing is left of them, in milliseconds. */
const STAY = 2000;
const LEAVE = 3000;

/** What was measured while one case was served. */
export interface Measured {
  /** `undefined` for crowds, which read what they like. */
  readonly reply: Reply | undefined;
  /** The good clients of this service, and of an idle one at the same time. */
  readonly good: Readonly<Record<GoodClient, Seen>>;
  readonly idle: Readonly<Record<GoodClient, Seen>>;
  /** The CPU time of the service meanwhile, in milliseconds. */
  readonly busy: number;
  /** How much the peak memory of the service rose, in MiB. NaN if the process is gone. */
  readonly memory: number;
  /** How many streams are open after a crowd has left. */
  readonly left?: number;
}

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;

const judgeReply = ({ status, broke }: Reply): string[] => {
  if (status === undefined)
    return [broke === NO_REPLY ? `no answer within ${REPLY_TIMEOUT / 1000} s` : `no answer: ${broke}`];
  return status >= 500 ? [`status ${status}`] : [];
};

/** The part of a wait that the machine did not cause: an idle service did not wait as long, and this one was busy. */
const excessOf = ({ good, idle, busy }: Measured, client: GoodClient): number =>
  Math.min(good[client].slowest - idle[client].slowest, busy);

const judgeClient = (measured: Measured, client: GoodClient, maxWait: number): string[] => {
  const { slowest, failures } = measured.good[client];
  const [waited, idle, busy] = [slowest, measured.idle[client].slowest, measured.busy].map(milliseconds);
  return [
    ...(excessOf(measured, client) > maxWait
      ? [`${client} waited ${waited} (an idle service: ${idle}), busy for ${busy}`]
      : []),
    ...(failures.length > 0
      ? [`${failures.length} ${client} failed (${[...new Set(failures)].join(', ')})`]
      : []),
  ];
};

/** Returns what is wrong with what was measured. */
export const judge = (
  measured: Measured,
  { crowds, memory: most = MAX_MEMORY }: Partial<StallCase> = {},
): string[] => {
  const { reply, memory, left = 0 } = measured;
  const maxWait = crowds ? MAX_WAIT_BESIDE_CROWDS : MAX_WAIT;
  return [
    ...(reply ? judgeReply(reply) : []),
    ...GOOD_CLIENTS.flatMap((client) => judgeClient(measured, client, maxWait)),
    ...(Number.isNaN(memory) ? ['the process is gone'] : []),
    ...(memory > most ? [`${memory.toFixed(0)} MiB more memory`] : []),
    ...(left > 0 ? [`${left} streams are open after their clients have left`] : []),
  ];
};

/** Sends one case, and measures the service and the good clients of an idle one meanwhile. */
export const measure = async (
  { service: { pid }, port, good }: Target,
  idle: GoodClients,
  crowds: Child,
  stall: Pick<StallCase, 'to' | 'bytes' | 'crowds'>,
): Promise<Measured> => {
  await resetPeak(pid);
  const [before, used] = [await readPeak(pid), usageOf(pid)?.cpuSeconds ?? 0];
  await Promise.all([good.mark(), idle.mark()]);
  let reply: Reply | undefined;
  if (stall.crowds) {
    await crowds.ask(['open', port, stall.crowds], isDone);
    await sleep(STAY + Math.max(...stall.crowds.map(arrivalOf)));
  } else reply = await exchange(port, stall.bytes, REPLY_TIMEOUT);
  const timeout = reply && reply.status === undefined ? 100 : REPLY_TIMEOUT;
  const [seen, seenIdle] = await Promise.all([good.read(timeout), idle.read(timeout)]);
  // Without /proc, the service is taken for busy all the time.
  const busy = ((usageOf(pid)?.cpuSeconds ?? Number.POSITIVE_INFINITY) - used) * 1000;
  const memory = (await readPeak(pid)) - before;
  if (stall.crowds) {
    await crowds.ask(['close'], isDone);
    await sleep(LEAVE);
  }
  const left =
    stall.to === 'streams' ? Number(await (await fetch(`http://127.0.0.1:${port}/open`)).text()) : 0;
  return { reply, good: seen, idle: seenIdle, busy, memory, left };
};

/** A longer excess is no coincidence, in milliseconds. A shorter one must occur again. */
const SURE_EXCESS = 2000;
const TRIES = 3;

const worstExcess = (measured: Measured): number =>
  Math.max(...GOOD_CLIENTS.map((client) => excessOf(measured, client)));

const isMachine = (measured: Measured): boolean =>
  worstExcess(measured) > MAX_WAIT && worstExcess(measured) < SURE_EXCESS;

/** Sends a case. A wait that the machine may be to blame for counts if it is there every time. */
export const tryCase = async (services: Services, crowds: Child, stall: StallCase): Promise<Measured> => {
  const { good: idle } = await services.target('idle');
  const target = await services.target(stall.to);
  const isAnswered = ({ reply }: Measured) => reply === undefined || reply.status !== undefined;
  let least = await measure(target, idle, crowds, stall);
  for (let tries = 1; tries < TRIES && isAnswered(least) && isMachine(least); tries += 1) {
    const next = await measure(target, idle, crowds, stall);
    if (worstExcess(next) < worstExcess(least)) least = next;
  }
  // The process is gone, hangs, or keeps memory that the next case must not be blamed for.
  if (!isAnswered(least) || !(least.memory <= (stall.memory ?? MAX_MEMORY))) await services.stop(stall.to);
  return least;
};
