import fc from 'fast-check';
import type { Operation } from './document/operations.ts';
import { type Failure, failureOf } from './exchange/failure.ts';
import type { Hanging } from './exchange/patience.ts';
import type { JudgedReply, Send } from './exchange/send.ts';
import { NoAnswer, Stopped } from './exchange/transport.ts';
import type { Call } from './requests/call.ts';
import type { Probe } from './requests/probe.ts';
import type { ValidRequest } from './requests/valid.ts';
import { createShrinkBudget, isEnd, shrink } from './shrink.ts';
import type { Counts, Unchecked } from './tally.ts';

/** Runs `work` for every item, at most `atATime` concurrently, until one fails. Keeps the order of results. */
const inFlight = async <Item, Result>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  // A loop that throws closes the generator, which ends the other loops.
  const left = (function* () {
    yield* items.entries();
  })();
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  const done = await Promise.allSettled(Array.from({ length: Math.min(atATime, items.length) }, takeTurns));
  for (const each of done) if (each.status === 'rejected') throw each.reason;
  return results;
};

/** A check: creates probes from valid requests, within limits. */
export interface Check {
  readonly probesOf: (call: Call, valid: ValidRequest) => Probe[];
  /** Number of valid requests to create probes from. */
  readonly runs: number;
  /** Number of probes of the same kind to send. */
  readonly timesEach: number;
  /** Number of probes to send in total. */
  readonly most: number;
}

/** The findings of a check. */
export interface Findings {
  /** The counts of a check that sends nothing itself. */
  readonly received?: Counts;
  readonly failures: readonly Failure[];
  /** Undeclared behaviour, or limits of the check. Notes are not failures. */
  readonly notes: readonly string[];
  /** Parts that the check left out. */
  readonly unchecked?: readonly Unchecked[];
}

/** How requests are made and sent. */
interface CheckContext {
  readonly values: fc.Arbitrary<ValidRequest>;
  readonly callOf: (valid: ValidRequest) => Promise<Call>;
  readonly send: Send;
  readonly seed: number;
  /** Number of requests sent so far. */
  readonly sent: () => number;
  /** Number of concurrent requests. */
  readonly concurrency?: number | undefined;
}

/** The most failures that a check reports. */
const MOST_FAILURES = 5;
/** Limits for shrinking. */
const MOST_SHRINKS = { tries: 100, requests: 150, requestsInAll: 400 };
const CONCURRENCY = 8;
/** Batch sizes: small at first, because time may be short, then large enough to keep the service busy. */
const FIRST_BATCH = 2;
const LARGEST_BATCH = 32;

/** A failure, and the index of the valid request that caused it. */
interface Suspect {
  readonly index: number;
  readonly failure: Failure;
}

const failureKey = ({ kind }: Probe, { reply, breach }: JudgedReply): string =>
  `${kind}\n${breach?.at}\n${reply?.status}`;

/**
 * Sends the probes of a check concurrently, and then shrinks each request that got a wrong reply, one by one.
 * The findings depend only on the replies, not on their order.
 */
export const runCheck = async (
  operation: Operation,
  { probesOf, runs, timesEach, most }: Check,
  { values, callOf, send, seed, sent: countSent, concurrency = CONCURRENCY }: CheckContext,
): Promise<Findings> => {
  const suspects = new Map<string, Suspect[]>();
  const sent = new Map<string, number>();
  let left = most;
  /** The error that ended the check. */
  let end: Hanging | NoAnswer | Stopped | undefined;

  const isDue = ({ kind }: Probe): boolean => {
    const times = sent.get(kind) ?? 0;
    if (times >= timesEach || left <= 0) return false;
    sent.set(kind, times + 1);
    left -= 1;
    return true;
  };

  const noteEnd = (error: unknown): void => {
    if (!isEnd(error)) throw error;
    end ??= error;
  };

  /** Sends probes in sequence until the check ends. */
  const sendAll = async (probes: readonly Probe[]): Promise<[Probe, JudgedReply][]> => {
    const judgedReplies: [Probe, JudgedReply][] = [];
    for (const probe of probes) {
      if (end) break;
      try {
        judgedReplies.push([probe, await send(probe)]);
      } catch (error) {
        noteEnd(error);
      }
    }
    return judgedReplies;
  };

  const suspect = (index: number, probe: Probe, judged: JudgedReply): void => {
    const failure = failureOf(probe, judged);
    if (!failure) return;
    const key = failureKey(probe, judged);
    const others = suspects.get(key) ?? [];
    // Any of the concurrent requests may have caused the failure.
    if (others.length < concurrency) suspects.set(key, [...others, { index, failure }]);
  };

  const runBatch = async (first: number, numRuns: number): Promise<void> => {
    const batch = fc.sample(values, { seed, path: `${first}`, numRuns });
    const calls = await inFlight(batch, concurrency, async (valid) => ({
      valid,
      call: await callOf(valid),
    }));
    const lanes = calls.flatMap(({ valid, call }, offset) => {
      const probes = probesOf(call, valid).filter(isDue);
      // Probes about the same thing may change it, so they stay in order.
      const grouped = call.before ? [probes] : probes.map((probe) => [probe]);
      return grouped.map((lane) => ({ index: first + offset, lane }));
    });
    const judgedReplies = await inFlight(lanes, concurrency, ({ lane }) => sendAll(lane));
    for (const [number, { index }] of lanes.entries())
      for (const [probe, judged] of judgedReplies[number] ?? []) suspect(index, probe, judged);
  };
  let size = FIRST_BATCH;
  for (let first = 0; first < runs && left > 0 && !end; first += size) {
    if (first > 0) size = Math.min(first, LARGEST_BATCH);
    await runBatch(first, Math.min(size, runs - first)).catch(noteEnd);
  }

  /** Looks for the same failure in the probes of another valid request. */
  const findAgain = async (key: string, valid: ValidRequest): Promise<Failure | undefined> => {
    for (const probe of probesOf(await callOf(valid), valid)) {
      if (!key.startsWith(`${probe.kind}\n`)) continue;
      const judged = await send(probe);
      if (failureKey(probe, judged) === key) return failureOf(probe, judged);
    }
    return undefined;
  };

  const failures: Failure[] = [];
  const nextBudget = createShrinkBudget(countSent, MOST_SHRINKS);
  for (const [key, candidates] of [...suspects].slice(0, MOST_FAILURES)) {
    let failure: Failure | undefined;
    const mayGoOn = nextBudget();
    for (const { index } of candidates)
      failure ??= await shrink({ values, seed, index }, (valid) => findAgain(key, valid), mayGoOn);
    failures.push(...[failure ?? candidates[0]?.failure].filter((each) => each !== undefined));
  }
  // Without a failure to report, the caller handles the lost service.
  if (end instanceof NoAnswer && failures.length === 0) throw end;
  if (!end || end instanceof Stopped) return { failures, notes: [] };
  const why =
    end instanceof NoAnswer ? `${operation.id}: the service went away (${end.message})` : end.message;
  return { failures, notes: [why] };
};
