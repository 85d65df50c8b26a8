import { readPeak, resetPeak } from '../../support/memory.ts';
import { usageOf } from '../../support/usage.ts';
import type { GoodClients } from '../measure/good-clients.ts';
import { NOTHING } from '../measure/latency.ts';
import type { StallCase } from './case.ts';
import { exchange, exchangeMany } from './exchange.ts';
import { ANSWER_TIMEOUT, excessOf, MAX_MEMORY, MAX_WAIT, type Measured } from './judge.ts';
import type { Services, Target } from './services.ts';

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
  const answer = crowd
    ? await exchangeMany(port, bytes, crowd, ANSWER_TIMEOUT)
    : await exchange(port, bytes, ANSWER_TIMEOUT);
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
