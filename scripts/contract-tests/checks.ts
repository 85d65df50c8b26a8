import type fc from 'fast-check';
import type { Contract } from './document/contract.ts';
import { type Operation, operationsOf } from './document/operations.ts';
import { type Credentials, revealFor, satisfied } from './exchange/credentials.ts';
import { createJudge } from './exchange/judge.ts';
import { type Answer, NoAnswer, type Transport } from './exchange/transport.ts';
import { createBodies } from './requests/bodies.ts';
import { createBodyProbes } from './requests/body-probes.ts';
import { type Draft, toWire } from './requests/draft.ts';
import { createParameterProbes } from './requests/parameter-probes.ts';
import { draftOf, type Probe } from './requests/probe.ts';
import { createReadings } from './requests/readings.ts';
import { securityProbesOf } from './requests/security-probes.ts';
import { createValidRequests, type ValidRequest } from './requests/valid.ts';
import { type Check, type Outcome, runCheck, type Verdict } from './run-check.ts';

/** How operations are checked. */
export interface CheckOptions {
  readonly contract: Contract;
  readonly transport: Transport;
  readonly credentials: Credentials;
  /** How many valid requests an operation gets. */
  readonly requests: number;
  readonly seed: number;
  /** A further check of an answer, for a service that promises more than its contract says. */
  readonly alsoExpect?: (probe: Probe, answer: Answer) => string | undefined;
  /** Called after every answer. */
  readonly onAnswer?: () => void;
}

/** The checks of an operation. */
export const CHECKS = [
  'valid requests get a declared answer',
  'broken parameters are refused',
  'broken bodies are refused',
  'requests without valid credentials are refused',
] as const;

/** The most requests of a check, as a multiple of the requested number, however many violations a schema has. */
const MOST_PER_REQUEST = 20;

const validProbe = (draft: Draft): Probe => ({
  name: 'valid request',
  kind: 'valid',
  draft,
  refusal: undefined,
  named: '',
  at: () => draft.operation.at,
});

/** Makes the checks of a contract, for the test suite as well as for the command line. */
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

  const most = requests * MOST_PER_REQUEST;
  const timesEach = Math.max(1, Math.ceil(requests / 25));
  const runs = Math.min(requests, 40);
  const checks: Readonly<Record<(typeof CHECKS)[number], Check>> = {
    'valid requests get a declared answer': {
      probesOf: (draft) => [validProbe(draft)],
      runs: requests,
      timesEach: requests,
      most,
    },
    'broken parameters are refused': { probesOf: parameterProbesOf, runs, timesEach, most },
    'broken bodies are refused': { probesOf: bodyProbesOf, runs, timesEach, most },
    'requests without valid credentials are refused': { probesOf: securityProbesOf, runs, timesEach, most },
  };

  const draft = (operation: Operation) => (valid: ValidRequest) => draftOf(operation, valid, bodies);

  /** Sends a probe and judges the answer. */
  const send = async (probe: Probe): Promise<Verdict> => {
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

  /** Kept, because an operation may have many schemas. */
  const made = new Map<Operation, fc.Arbitrary<ValidRequest>>();
  const requestsOf = (operation: Operation): fc.Arbitrary<ValidRequest> => {
    const values = made.get(operation) ?? validRequests(operation, satisfied(operation, credentials));
    made.set(operation, values);
    return values;
  };

  return {
    operations,
    /** Runs one check of one operation. */
    check: (operation: Operation, name: (typeof CHECKS)[number]): Promise<Outcome> =>
      runCheck(operation, checks[name], {
        values: requestsOf(operation),
        draftOf: draft(operation),
        send,
        seed,
      }),
  };
};
