import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { type Failure, failureOf } from '../exchange/failure.ts';
import type { Hanging, JudgedReply } from '../exchange/send.ts';
import { NoAnswer, Stopped } from '../exchange/transport.ts';
import { createBodyProbes } from '../requests/body-probes.ts';
import { type Call, type Probe, validProbeOf } from '../requests/call.ts';
import { createParameterProbes } from '../requests/parameter-probes.ts';
import { createSecurityProbes } from '../requests/security-probes.ts';
import type { ValidRequest } from '../requests/valid.ts';
import type { Session } from '../session.ts';
import { isEnd, type Suspect, shrinkAll } from '../shrink.ts';
import { eachOperation, type Findings, MOST_FAILURES, type Phase } from './phase.ts';

/** Runs `work` for every item, at most `atATime` concurrently, until one fails. Keeps the order of results. */
const inFlight = async <Item, Result>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  const left = items.entries();
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  const done = await Promise.allSettled(Array.from({ length: Math.min(atATime, items.length) }, takeTurns));
  for (const each of done) if (each.status === 'rejected') throw each.reason;
  return results;
};

/** A check: creates probes from valid requests, within limits. */
interface Check {
  readonly probesOf: (call: Call, valid: ValidRequest) => Probe[];
  /** Number of valid requests to create probes from. */
  readonly runs: number;
  /** Number of probes of the same kind to send. */
  readonly timesEach: number;
  /** Number of probes to send in total. */
  readonly most: number;
}

const MOST_SHRINKS = { tries: 100, requests: 150, requestsInAll: 400 };
/** Batch sizes: small at first, because time may be short, then large enough to keep the service busy. */
const FIRST_BATCH = 2;
const LARGEST_BATCH = 32;

interface Run extends Check {
  readonly session: Session;
  readonly operation: Operation;
  readonly values: fc.Arbitrary<ValidRequest>;
  readonly suspects: Map<string, Suspect[]>;
  /** Number of probes sent so far, by kind. */
  readonly times: Map<string, number>;
  /** Number of probes that may still be sent. */
  left: number;
  /** The error that ended the check. */
  end: Hanging | NoAnswer | Stopped | undefined;
}

const failureKey = ({ kind }: Probe, { reply, breach }: JudgedReply): string =>
  `${kind}\n${breach?.at}\n${reply?.status}`;

const isDue = (run: Run, { kind }: Probe): boolean => {
  const times = run.times.get(kind) ?? 0;
  if (times >= run.timesEach || run.left <= 0) return false;
  run.times.set(kind, times + 1);
  run.left -= 1;
  return true;
};

const noteEnd = (run: Run, error: unknown): void => {
  if (!isEnd(error)) throw error;
  run.end ??= error;
};

/** Sends probes in sequence until the check ends. */
const sendAll = async (run: Run, probes: readonly Probe[]): Promise<[Probe, JudgedReply][]> => {
  const judged: [Probe, JudgedReply][] = [];
  for (const probe of probes)
    try {
      if (!run.end) judged.push([probe, await run.session.send(probe)]);
    } catch (error) {
      noteEnd(run, error);
    }
  return judged;
};

/** Sends the probes of `count` valid requests, and collects the failures. */
const runBatch = async (run: Run, first: number, count: number): Promise<void> => {
  const { session, operation, values, suspects } = run;
  const { seed, concurrency } = session;
  const batch = fc.sample(values, { seed, path: `${first}`, numRuns: count });
  const calls = await inFlight(batch, concurrency, async (valid) => ({
    valid,
    call: await session.callOf(operation, valid),
  }));
  const lanes = calls.flatMap(({ valid, call }, offset) => {
    const probes = run.probesOf(call, valid).filter((probe) => isDue(run, probe));
    // Probes about the same thing may change it, so they stay in order.
    const grouped = call.before ? [probes] : probes.map((probe) => [probe]);
    return grouped.map((lane) => ({ index: first + offset, lane }));
  });
  const judgedReplies = await inFlight(lanes, concurrency, ({ lane }) => sendAll(run, lane));
  for (const [number, { index }] of lanes.entries())
    for (const [probe, judged] of judgedReplies[number] ?? []) {
      const failure = failureOf(probe, judged);
      const others = suspects.get(failureKey(probe, judged)) ?? [];
      // Any of the concurrent requests may have caused the failure.
      if (failure && others.length < concurrency)
        suspects.set(failureKey(probe, judged), [...others, { index, failure }]);
    }
};

/** Looks for the same failure in the probes of another valid request. */
const findAgain = async (run: Run, key: string, valid: ValidRequest): Promise<Failure | undefined> => {
  for (const probe of run.probesOf(await run.session.callOf(run.operation, valid), valid)) {
    if (!key.startsWith(`${probe.kind}\n`)) continue;
    const judged = await run.session.send(probe);
    if (failureKey(probe, judged) === key) return failureOf(probe, judged);
  }
  return undefined;
};

/**
 * Sends the probes of a check concurrently, and then shrinks each request that got a wrong reply, one by one.
 * The findings depend only on the replies, not on their order.
 */
const runCheck = async (session: Session, operation: Operation, check: Check): Promise<Findings> => {
  const values = session.requestsOf(operation);
  const state = { suspects: new Map(), times: new Map(), left: check.most, end: undefined };
  const run: Run = { ...check, session, operation, values, ...state };
  let size = FIRST_BATCH;
  for (let first = 0; first < run.runs && run.left > 0 && !run.end; first += size) {
    if (first > 0) size = Math.min(first, LARGEST_BATCH);
    await runBatch(run, first, Math.min(size, run.runs - first)).catch((error) => noteEnd(run, error));
  }
  const kinds = [...run.suspects].slice(0, MOST_FAILURES);
  const failures = await shrinkAll(session, values, kinds, MOST_SHRINKS, (key, valid) =>
    findAgain(run, key, valid),
  );
  const { end } = run;
  // Without a failure to report, the caller handles the lost service.
  if (end instanceof NoAnswer && failures.length === 0) throw end;
  if (!end || end instanceof Stopped) return { failures, notes: [] };
  const isLost = end instanceof NoAnswer;
  return {
    failures,
    notes: [isLost ? `${operation.id}: the service went away (${end.message})` : end.message],
  };
};

/** The most requests of a check per requested request, however many violations a schema has. */
const MOST_PER_REQUEST = 20;

/** The phases that send generated requests, valid or with one fault. */
export const createProbingPhases = (session: Session): Phase[] => {
  const { contract, operations, requests, secretOf } = session;
  const most = requests * MOST_PER_REQUEST;
  const timesEach = Math.max(1, Math.ceil(requests / 25));
  const runs = Math.min(requests, 40);

  const phase = (name: string, promise: string, check: Check): Phase => ({
    name,
    promise,
    subjects: eachOperation(operations, (operation) => runCheck(session, operation, check)),
  });

  const few = { runs, timesEach, most };
  return [
    phase('valid', 'valid requests get a declared answer', {
      probesOf: (call) => [validProbeOf(call)],
      ...{ runs: requests, timesEach: requests, most },
    }),
    phase('parameters', 'broken parameters are refused', {
      probesOf: createParameterProbes(contract.request, operations),
      ...few,
    }),
    phase('bodies', 'broken bodies are refused', {
      probesOf: createBodyProbes(contract.request),
      ...few,
    }),
    phase('credentials', 'requests without valid credentials are refused', {
      probesOf: createSecurityProbes(operations, secretOf),
      ...few,
    }),
  ];
};
