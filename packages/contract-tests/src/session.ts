import type fc from 'fast-check';
import type { Side } from './document/contract.ts';
import { type Operation, operationsOf } from './document/operations.ts';
import { revealFor, satisfied } from './exchange/credentials.ts';
import { createSend, type SendOptions, type Verdict } from './exchange/send.ts';
import { createReadings } from './generation/readings.ts';
import { createBodies } from './requests/bodies.ts';
import type { Probe } from './requests/probe.ts';
import { createValidRequests, type ValidRequest } from './requests/valid.ts';
import { createInstances } from './resources/instances.ts';
import { findResources, type Resource } from './resources/resources.ts';
import { selectOperations } from './selection.ts';
import { createRecord } from './tally.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** How operations are checked. */
export interface SessionOptions extends SendOptions {
  /** How many valid requests an operation gets. */
  readonly requests: number;
  readonly seed: number;
  /** How many requests are under way at a time: 8 by default. */
  readonly concurrency?: number | undefined;
  /** Throws if it is time to stop. Called often while requests are generated, which may take long. */
  readonly checkTime?: () => void;
  /** Called after every reply. */
  readonly onReply?: () => void;
  /** Operations that are never called, not even to create what others are about. */
  readonly exclude?: readonly string[] | undefined;
  /** Where the service's webhooks and callbacks are received, if they are. */
  readonly webhooks?: Webhooks | undefined;
}

/** A side of a contract whose values can be stopped from being generated. */
const interruptible = (side: Side, checkTime: () => void): Side => {
  const accepts: Side['accepts'] = (schema, value) => {
    checkTime();
    return side.accepts(schema, value);
  };
  return {
    ...side,
    accepts,
    ...createReadings(side.flatten, accepts),
    arbitraryOf: (schema, alphabet) => {
      checkTime();
      return side.arbitraryOf(schema, alphabet);
    },
  };
};

/** Everything that the phases of one run share: the contract as it is read, its requests, and the service. */
export const createSession = ({
  contract: given,
  credentials,
  requests,
  seed,
  concurrency,
  exclude = [],
  webhooks,
  checkTime = () => {},
  onReply = () => {},
  ...sendOptions
}: SessionOptions) => {
  const contract = { ...given, request: interruptible(given.request, checkTime) };
  const { request } = contract;
  const operations = operationsOf(contract);
  const bodies = createBodies(request);
  const validRequests = createValidRequests(request, bodies, operations);
  const reveal = revealFor(credentials);
  const sendProbe = createSend({ contract, credentials, ...sendOptions });
  const record = createRecord();
  /** The operations that have answered 202, so that what they do may happen at any later time. */
  const deferred = new Set<Operation>();
  let sent = 0;
  const send = async (probe: Probe): Promise<Verdict> => {
    sent += 1;
    const verdict = await sendProbe(probe);
    record.observe(probe, verdict);
    if (verdict.reply) onReply();
    if (verdict.reply?.status === 202) deferred.add(probe.draft.operation);
    return verdict;
  };

  /** Kept, because an operation may have many schemas. */
  const made = new Map<Operation, fc.Arbitrary<ValidRequest>>();
  /** The valid requests of an operation. */
  const requestsOf = (operation: Operation): fc.Arbitrary<ValidRequest> => {
    const makeValues = (): fc.Arbitrary<ValidRequest> => {
      const values = validRequests(operation, satisfied(operation, credentials));
      return webhooks ? values.map((valid) => webhooks.fillUrls(operation, valid)) : values;
    };
    const values = made.get(operation) ?? makeValues();
    // Not kept if the time is up: an optional part may be missing.
    checkTime();
    made.set(operation, values);
    return values;
  };

  const resources = findResources(
    contract,
    exclude.length === 0 ? operations : selectOperations(operations, { exclude }),
  );
  const instances = createInstances({ request, resources, bodies, requestsOf, send, seed });

  return {
    contract,
    operations,
    bodies,
    requests,
    seed,
    concurrency,
    reveal,
    webhooks,
    resources,
    instances,
    /** Whether an operation that changes instances of a resource has answered 202. */
    hasDeferred: ({ create, replace, patch, remove }: Resource): boolean =>
      [create, replace, patch, remove].some((each) => each && deferred.has(each)),
    requestsOf,
    /** How many requests were sent so far, whatever for. */
    sent: (): number => sent,
    takeNews: record.takeNews,
    notesOf: record.notesOf,
    /** Sends a probe and judges the reply. */
    send: async (probe: Probe): Promise<Verdict> => {
      const verdict = await send(probe);
      record.keepFirst(probe, verdict);
      instances.observe(probe.draft, verdict.reply);
      return verdict;
    },
    /** The draft of a valid request, about something that exists if there can be one. */
    draftOf: instances.draftOf,
  };
};

/** Everything that the phases of one run share. */
export type Session = ReturnType<typeof createSession>;
