import { oncePerKey } from '@trellis/openapi/internal/json';
import type fc from 'fast-check';
import { type Operation, operationsOf } from './document/operations.ts';
import { createSecretOf, satisfied } from './exchange/credentials.ts';
import { createSend, type JudgedReply, type SendOptions } from './exchange/send.ts';
import type { Probe } from './requests/call.ts';
import { createValidRequests, type ValidRequest } from './requests/valid.ts';
import { createInstances } from './resources/instances.ts';
import { findResources, type Resource } from './resources/resources.ts';
import { selectOperations } from './selection.ts';
import { createRecord } from './tally.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** The options of a session. */
export interface SessionOptions extends SendOptions {
  /** Number of valid requests per operation. */
  readonly requests: number;
  readonly seed: number;
  /** Number of concurrent requests: 8 by default. */
  readonly concurrency?: number | undefined;
  readonly onReply?: () => void;
  /** Patterns of operations that are never called, not even to create resources for other operations. */
  readonly exclude?: readonly string[] | undefined;
  readonly webhooks?: Webhooks | undefined;
}

/** Creates the state that all phases share: the contract, its requests, and the connection to the service. */
export const createSession = (options: SessionOptions) => {
  const { contract, credentials, requests, seed, concurrency = 8, exclude = [], webhooks } = options;
  const { request, interrupt } = contract;
  const operations = operationsOf(contract);
  const validRequests = createValidRequests(request, operations);
  /** The valid requests of an operation. Cached, because it may have many schemas. */
  const requestsOf = oncePerKey((operation: Operation): fc.Arbitrary<ValidRequest> => {
    const values = validRequests(operation, satisfied(operation, credentials));
    // Throws, and so is not cached, when time is up: an optional part may be missing.
    interrupt.check();
    return webhooks ? values.map((valid) => webhooks.fillUrls(operation, valid)) : values;
  });
  const sendProbe = createSend(options);
  const record = createRecord();
  /** Operations that answered 202, so that their effects may come later. */
  const deferred = new Set<Operation>();
  let sent = 0;
  const send = async (probe: Probe): Promise<JudgedReply> => {
    sent += 1;
    const judged = await sendProbe(probe);
    record.observe(probe, judged);
    if (judged.reply) options.onReply?.();
    if (judged.reply?.status === 202) deferred.add(probe.call.operation);
    return judged;
  };
  const usable = exclude.length === 0 ? operations : selectOperations(operations, { exclude });
  const resources = findResources(contract, usable);
  const instances = createInstances({ request, resources, requestsOf, send, seed });

  return {
    ...{ contract, operations, requests, requestsOf },
    ...{ seed, concurrency, webhooks, resources, instances },
    secretOf: createSecretOf(credentials),
    /** Whether an operation that changes this resource answered 202. */
    hasDeferred: ({ create, replace, patch, remove }: Resource): boolean =>
      [create, replace, patch, remove].some((each) => each && deferred.has(each)),
    sent: (): number => sent,
    takeNews: record.takeNews,
    notesOf: record.notesOf,
    send: async (probe: Probe): Promise<JudgedReply> => {
      const judged = await send(probe);
      record.keepFirst(probe, judged);
      instances.observe(probe.call, judged.reply);
      return judged;
    },
    callOf: instances.callOf,
  };
};

/** The state that all phases of a run share. */
export type Session = ReturnType<typeof createSession>;
