import type fc from 'fast-check';
import type { Contract } from './document/contract.ts';
import { type Operation, operationsOf } from './document/operations.ts';
import { type Credentials, revealFor, satisfied } from './exchange/credentials.ts';
import { createJudge } from './exchange/judge.ts';
import { NoAnswer, type Transport } from './exchange/transport.ts';
import { createBodies } from './requests/bodies.ts';
import { type Answer, type Draft, toWire } from './requests/draft.ts';
import { draftOf, type Probe } from './requests/probe.ts';
import { createReadings } from './requests/readings.ts';
import { createValidRequests, type ValidRequest } from './requests/valid.ts';
import type { Verdict } from './run-check.ts';

/** How operations are checked. */
export interface SessionOptions {
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

/** Everything that the phases of one run share: the contract as it is read, its requests, and the service. */
export const createSession = ({
  contract,
  transport,
  credentials,
  requests,
  seed,
  ...hooks
}: SessionOptions) => {
  const { request } = contract;
  const operations = operationsOf(contract);
  const readings = createReadings(request);
  const bodies = createBodies(request, readings);
  const validRequests = createValidRequests(request, readings, bodies, operations);
  const judge = createJudge(contract);
  const reveal = revealFor(credentials);

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

  return {
    contract,
    operations,
    readings,
    bodies,
    requests,
    seed,
    send,
    /** The draft of a valid request. */
    draftOf: async (operation: Operation, valid: ValidRequest): Promise<Draft> =>
      draftOf(operation, valid, bodies),
    /** The valid requests of an operation. */
    requestsOf: (operation: Operation): fc.Arbitrary<ValidRequest> => {
      const values = made.get(operation) ?? validRequests(operation, satisfied(operation, credentials));
      made.set(operation, values);
      return values;
    },
  };
};

/** Everything that the phases of one run share. */
export type Session = ReturnType<typeof createSession>;
