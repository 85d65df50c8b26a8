import fc from 'fast-check';
import type { Operation } from './document/operations.ts';
import { type Failure, failureOf } from './exchange/failure.ts';
import type { Hanging } from './exchange/patience.ts';
import type { Send, Verdict } from './exchange/send.ts';
import { NoAnswer, Stopped } from './exchange/transport.ts';
import type { Draft } from './requests/draft.ts';
import type { Probe } from './requests/probe.ts';
import type { ValidRequest } from './requests/valid.ts';
import { createShrinkBudget, isEnd, shrink } from './shrink.ts';
import type { Counts, Unchecked } from './tally.ts';

/** Does the same with every item, so many at a time, until that fails, and gives the results in the order of the items. */
const inFlight = async <Item, Result>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  // A loop that throws ends the generator, and with it the other loops.
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

/** A check: how its probes are made from valid requests, and how many. */
export interface Check {
  readonly probesOf: (draft: Draft, valid: ValidRequest) => Probe[];
  /** The number of valid requests from which probes are made. */
  readonly runs: number;
  /** How often a probe of the same kind is sent. */
  readonly timesEach: number;
  /** The most probes that are sent in all. */
  readonly most: number;
}

/** The outcome of a check. */
export interface Outcome {
  /** What was received, by a check that sends nothing. */
  readonly received?: Counts;
  readonly failures: readonly Failure[];
  /** What the contract does not declare, or the check could not reach. Notes are not failures. */
  readonly notes: readonly string[];
  /** What was left out of the check. */
  readonly unchecked?: readonly Unchecked[];
}

/** How requests are made and sent. */
interface CheckContext {
  readonly values: fc.Arbitrary<ValidRequest>;
  readonly draftOf: (valid: ValidRequest) => Promise<Draft>;
  readonly send: Send;
  readonly seed: number;
  /** How many requests were sent so far. */
  readonly sent: () => number;
  /** How many requests are under way at a time. */
  readonly concurrency?: number | undefined;
}

/** The most failures that one check reports; more would only repeat them. */
const MOST_FAILURES = 5;
/** How much is sent to shrink failures. */
const MOST_SHRINKS = { tries: 100, requests: 150, requestsInAll: 400 };
const CONCURRENCY = 8;
/** How many valid requests are made at a time: few at first, for there may be little time, then enough to keep the service busy. */
const FIRST_BATCH = 2;
const LARGEST_BATCH = 32;

/** A failure, with the number of the valid request that its probe was made from. */
interface Suspect {
  readonly index: number;
  readonly failure: Failure;
}

const keyOf = ({ kind }: Probe, { reply, breach }: Verdict): string =>
  `${kind}\n${breach?.at}\n${reply?.status}`;

/**
 * Sends the probes of a check, several at a time, and shrinks every request that gets a wrong reply, one after the other.
 * What it reports depends on the replies alone, not on the order in which they come.
 */
export const runCheck = async (
  operation: Operation,
  { probesOf, runs, timesEach, most }: Check,
  { values, draftOf, send, seed, sent: countSent, concurrency = CONCURRENCY }: CheckContext,
): Promise<Outcome> => {
  const suspects = new Map<string, Suspect[]>();
  const sent = new Map<string, number>();
  let left = most;
  /** Why no more can be sent. */
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

  /** Sends probes one after the other, until the service is gone. */
  const sendAll = async (probes: readonly Probe[]): Promise<[Probe, Verdict][]> => {
    const verdicts: [Probe, Verdict][] = [];
    for (const probe of probes) {
      if (end) break;
      try {
        verdicts.push([probe, await send(probe)]);
      } catch (error) {
        noteEnd(error);
      }
    }
    return verdicts;
  };

  const suspect = (index: number, probe: Probe, verdict: Verdict): void => {
    const failure = failureOf(probe, verdict);
    if (!failure) return;
    const key = keyOf(probe, verdict);
    const others = suspects.get(key) ?? [];
    // Of requests that were under way together, any may be the one that fails.
    if (others.length < concurrency) suspects.set(key, [...others, { index, failure }]);
  };

  const runBatch = async (first: number, numRuns: number): Promise<void> => {
    const batch = fc.sample(values, { seed, path: `${first}`, numRuns });
    const drafts = await inFlight(batch, concurrency, async (valid) => ({
      valid,
      draft: await draftOf(valid),
    }));
    const lanes = drafts.flatMap(({ valid, draft }, offset) => {
      const probes = probesOf(draft, valid).filter(isDue);
      // Probes about the same thing may change it, so they keep their order.
      const grouped = draft.before ? [probes] : probes.map((probe) => [probe]);
      return grouped.map((lane) => ({ index: first + offset, lane }));
    });
    const verdicts = await inFlight(lanes, concurrency, ({ lane }) => sendAll(lane));
    for (const [number, { index }] of lanes.entries())
      for (const [probe, verdict] of verdicts[number] ?? []) suspect(index, probe, verdict);
  };
  let size = FIRST_BATCH;
  for (let first = 0; first < runs && left > 0 && !end; first += size) {
    if (first > 0) size = Math.min(first, LARGEST_BATCH);
    await runBatch(first, Math.min(size, runs - first)).catch(noteEnd);
  }

  /** The same failure again, of the probes of another valid request. */
  const findAgain = async (key: string, valid: ValidRequest): Promise<Failure | undefined> => {
    for (const probe of probesOf(await draftOf(valid), valid)) {
      if (!key.startsWith(`${probe.kind}\n`)) continue;
      const verdict = await send(probe);
      if (keyOf(probe, verdict) === key) return failureOf(probe, verdict);
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
  // Later checks will find the service gone too; here there is something else to report.
  if (end instanceof NoAnswer && failures.length === 0) throw end;
  if (!end || end instanceof Stopped) return { failures, notes: [] };
  const why =
    end instanceof NoAnswer ? `${operation.id}: the service went away (${end.message})` : end.message;
  return { failures, notes: [why] };
};
