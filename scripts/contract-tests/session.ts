import type fc from 'fast-check';
import { type Operation, operationsOf } from './document/operations.ts';
import { revealFor, satisfied } from './exchange/credentials.ts';
import { createSend, type SendOptions, type Verdict } from './exchange/send.ts';
import { createBodies } from './requests/bodies.ts';
import type { Draft } from './requests/draft.ts';
import type { Probe } from './requests/probe.ts';
import { createReadings } from './requests/readings.ts';
import { createValidRequests, type ValidRequest } from './requests/valid.ts';
import { selectOperations } from './selection.ts';
import { findResources } from './state/resources.ts';
import { createThings } from './state/things.ts';

/** How operations are checked. */
export interface SessionOptions extends SendOptions {
  /** How many valid requests an operation gets. */
  readonly requests: number;
  readonly seed: number;
  /** How many requests are under way at a time: 8 by default. */
  readonly concurrency?: number | undefined;
  /** Operations that are never called, not even to create what others are about. */
  readonly exclude?: readonly string[] | undefined;
}

/** Everything that the phases of one run share: the contract as it is read, its requests, and the service. */
export const createSession = ({
  contract,
  transport,
  credentials,
  requests,
  seed,
  concurrency,
  exclude = [],
  ...hooks
}: SessionOptions) => {
  const { request } = contract;
  const operations = operationsOf(contract);
  const readings = createReadings(request);
  const bodies = createBodies(request, readings);
  const validRequests = createValidRequests(request, readings, bodies, operations);
  const reveal = revealFor(credentials);
  const send = createSend({ contract, transport, credentials, ...hooks });

  /** Kept, because an operation may have many schemas. */
  const made = new Map<Operation, fc.Arbitrary<ValidRequest>>();
  /** The valid requests of an operation. */
  const requestsOf = (operation: Operation): fc.Arbitrary<ValidRequest> => {
    const values = made.get(operation) ?? validRequests(operation, satisfied(operation, credentials));
    made.set(operation, values);
    return values;
  };

  const resources = findResources(
    contract,
    exclude.length === 0 ? operations : selectOperations(operations, { exclude }),
  );
  const things = createThings({ resources, bodies, readings, requestsOf, send, seed });

  return {
    contract,
    operations,
    readings,
    bodies,
    requests,
    seed,
    concurrency,
    reveal,
    resources,
    things,
    requestsOf,
    /** Sends a probe and judges the answer. */
    send: async (probe: Probe): Promise<Verdict> => {
      const verdict = await send(probe);
      things.observe(probe.draft, verdict.answer);
      return verdict;
    },
    /** The draft of a valid request, about something that exists if there can be one. */
    draftOf: (operation: Operation, valid: ValidRequest): Promise<Draft> => things.draftOf(operation, valid),
  };
};

/** Everything that the phases of one run share. */
export type Session = ReturnType<typeof createSession>;
