import fc from 'fast-check';
import type { Contract } from './document/contract.ts';
import { type Operation, operationsOf, responseFor } from './document/operations.ts';
import { type Credentials, revealFor, satisfied } from './exchange/credentials.ts';
import type { Failure } from './exchange/failure.ts';
import { type Breach, createJudge } from './exchange/judge.ts';
import { type Answer, NoAnswer, type Transport } from './exchange/transport.ts';
import { createBodies } from './requests/bodies.ts';
import { type Draft, toWire } from './requests/draft.ts';
import {
  createBodyProbes,
  createParameterProbes,
  draftOf,
  type Probe,
  securityProbesOf,
} from './requests/probes.ts';
import { createReadings } from './requests/readings.ts';
import { createValidRequests, type ValidRequest } from './requests/valid.ts';

/** How an operation is checked. */
export interface CheckOptions {
  readonly contract: Contract;
  readonly transport: Transport;
  readonly credentials: Credentials;
  /** How many valid requests an operation gets. */
  readonly requests: number;
  readonly seed: number;
  /** What else an answer must be, for a service of which more is known than its contract. */
  readonly alsoExpect?: (probe: Probe, answer: Answer) => string | undefined;
  /** Called after every answer. */
  readonly onAnswer?: () => void;
}

/** What came of a check. */
export interface Outcome {
  readonly requests: number;
  /** Answered below 400. */
  readonly accepted: number;
  /** Answered 4xx. */
  readonly refused: number;
  readonly failures: readonly Failure[];
  /** What the contract leaves out, or the check could not see; no failure. */
  readonly notes: readonly string[];
}

/** What an operation is checked for, each on its own. */
export const CHECKS = [
  'valid requests get a declared answer',
  'broken parameters are refused',
  'broken bodies are refused',
  'without credentials nobody is let in',
] as const;

/** One kind of request that is made of valid ones. */
interface Check {
  readonly probesOf: (draft: Draft, valid: ValidRequest) => Probe[];
  /** From how many valid requests probes are made. */
  readonly runs: number;
  /** How often a probe of one kind is sent. */
  readonly timesEach: number;
}

const validProbe = (draft: Draft): Probe => ({
  name: 'valid request',
  kind: 'valid',
  draft,
  refusal: undefined,
  named: '',
  at: () => draft.operation.at,
});

/** So many different failures of one check are told; the rest would be more of the same. */
const MOST_FAILURES = 5;
/** To make a request smaller takes no more than this many more. */
const MOST_SHRINKS = 300;

/** Makes the checks of a contract. They are the same in the test suite and on the command line. */
export const createChecks = ({
  contract,
  transport,
  credentials,
  requests,
  seed,
  ...hooks
}: CheckOptions) => {
  const { request } = contract;
  const operations = operationsOf(contract);
  const readings = createReadings(request);
  const bodies = createBodies(request, readings);
  const validRequests = createValidRequests(request, readings, bodies, operations);
  const parameterProbesOf = createParameterProbes(contract, readings);
  const bodyProbesOf = createBodyProbes(contract, readings, bodies);
  const judge = createJudge(contract);
  const reveal = revealFor(credentials);

  const timesEach = Math.max(1, Math.ceil(requests / 25));
  const runs = Math.min(requests, 40);
  const checks: Readonly<Record<(typeof CHECKS)[number], Check>> = {
    'valid requests get a declared answer': {
      probesOf: (draft) => [validProbe(draft)],
      runs: requests,
      timesEach: requests,
    },
    'broken parameters are refused': { probesOf: parameterProbesOf, runs, timesEach },
    'broken bodies are refused': { probesOf: bodyProbesOf, runs, timesEach },
    'without credentials nobody is let in': { probesOf: securityProbesOf, runs, timesEach },
  };

  /** Sends a probe, and tells what is wrong with the answer. */
  const ask = async (probe: Probe): Promise<{ answer: Answer | undefined; breach: Breach | undefined }> => {
    try {
      const answer = await transport.send(toWire(probe.draft, reveal));
      hooks.onAnswer?.();
      const breach = judge(probe, answer);
      const what = breach ? undefined : hooks.alsoExpect?.(probe, answer);
      return { answer, breach: what === undefined ? breach : { what, at: probe.at() } };
    } catch (error) {
      if (!(error instanceof NoAnswer) || error.isAway) throw error;
      return {
        answer: undefined,
        breach: { what: `no answer: ${error.message}`, at: probe.draft.operation.at },
      };
    }
  };

  /** Made once: the schemas of an operation may be many. */
  const made = new Map<Operation, fc.Arbitrary<ValidRequest>>();
  const requestsOf = (operation: Operation): fc.Arbitrary<ValidRequest> => {
    const values = made.get(operation) ?? validRequests(operation, satisfied(operation, credentials));
    made.set(operation, values);
    return values;
  };

  const runCheck = async (operation: Operation, { probesOf, ...check }: Check): Promise<Outcome> => {
    const values = requestsOf(operation);
    const sent = new Map<string, number>();
    const statuses: number[] = [];
    const undeclared = new Set<number>();
    const failures = new Map<string, Failure>();

    /** The first breach that is not known yet; while it is made smaller, that breach and no other. */
    const look = async (
      valid: ValidRequest,
      only: string | undefined,
    ): Promise<[string, Failure] | undefined> => {
      for (const probe of probesOf(draftOf(operation, valid, bodies), valid)) {
        const times = sent.get(probe.kind) ?? 0;
        if (only === undefined ? times >= check.timesEach : !only.startsWith(`${probe.kind}\n`)) continue;
        if (only === undefined) sent.set(probe.kind, times + 1);
        const { answer, breach } = await ask(probe);
        if (answer) statuses.push(answer.status);
        if (answer && !responseFor(operation, answer.status)) undeclared.add(answer.status);
        if (!breach) continue;
        const key = `${probe.kind}\n${breach.at.pointer}\n${answer?.status}`;
        if (only === undefined ? !failures.has(key) : key === only) return [key, { probe, answer, breach }];
      }
      return undefined;
    };

    /** Looks for one more failure and makes it as small as it gets. */
    const hunt = async (): Promise<boolean> => {
      let found: [string, Failure] | undefined;
      let shrinks = 0;
      const property = fc.asyncProperty(values, async (valid) => {
        if (found) shrinks += 1;
        if (shrinks > MOST_SHRINKS) return true;
        const next = await look(valid, found?.[0]);
        found = next ?? found;
        return next === undefined;
      });
      await fc.check(property, { seed, numRuns: check.runs });
      if (found) failures.set(...found);
      return found !== undefined;
    };

    while (failures.size < MOST_FAILURES && (await hunt()));
    const isNeverServed =
      check.timesEach === requests && statuses.length > 0 && statuses.every((status) => status >= 400);
    return {
      requests: statuses.length,
      accepted: statuses.filter((status) => status < 400).length,
      refused: statuses.filter((status) => status >= 400 && status < 500).length,
      failures: [...failures.values()],
      notes: [
        ...(isNeverServed
          ? [`${operation.id}: no valid request got more than ${[...new Set(statuses)].join(', ')}`]
          : []),
        ...(failures.size > 0 ? [] : [...undeclared]).map(
          (status) => `${operation.id}: answers ${status}, which it does not declare`,
        ),
      ],
    };
  };

  return {
    operations,
    /** Runs one check of one operation. */
    check: (operation: Operation, name: (typeof CHECKS)[number]): Promise<Outcome> =>
      runCheck(operation, checks[name]),
  };
};
