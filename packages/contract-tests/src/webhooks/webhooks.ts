import { setTimeout as pause } from 'node:timers/promises';
import { getOrInsert, oncePerKey, pointerSteps } from '@trellis/openapi/internal/json';
import type { Contract, Schemas } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import type { Failure } from '../exchange/failure.ts';
import { createJudge } from '../exchange/judge/judge.ts';
import { undeclared } from '../http/attempt.ts';
import { type Breach, type Call, single, validProbeOf } from '../requests/call.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { putAt } from '../values/json.ts';
import { type Outgoing, outgoingOf } from './outgoing.ts';
import { type Arrival, openReceiver, type ReceiverPlace, wrongSignature } from './receiver.ts';

/** The most failures reported for a webhook, and the most unexpected requests. */
const MOST = 5;

/** Milliseconds to wait for webhooks at the end, and without an arrival once each has come. */
const PATIENCE = 5000;
const QUIET = 250;
const LOOK_EVERY = 20;

/** Converts an arrival to a request that can be sent to the receiver again. */
const callOf = ({ operation }: Outgoing, { method, target, headers, body }: Arrival): Call => ({
  operation: { ...operation, method, path: target },
  parameters: new Map(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) => {
      const value = single(headers[name]);
      return value === undefined ? [] : [[undeclared('header', name, operation.at), value]];
    }),
  ),
  body: body.length === 0 ? undefined : { bytes: body, contentType: headers['content-type'] ?? '' },
  credentials: [],
});

const failureOf = (declared: Outgoing, arrival: Arrival, breach: Breach): Failure => {
  const reply = { status: 204, headers: {}, body: Buffer.alloc(0) };
  return { name: 'received request', exchanges: [{ call: callOf(declared, arrival), reply }], breach };
};

/** The expectation for a webhook with this body, which may be missing if it is optional. */
const expectedOf = ({ operation, isBodyRequired }: Outgoing, body: Buffer): Operation => {
  const declared = operation.replies.get('200');
  return declared && body.length === 0 && !isBodyRequired
    ? { ...operation, replies: new Map([['200', { ...declared, contents: [] }]]) }
    : operation;
};

/** Creates a function that judges a webhook, and its signature if there is a secret. */
const createJudgeArrival = (contract: Contract, secret: string | undefined) => {
  const judge = createJudge(contract);
  return (declared: Outgoing, arrival: Arrival): Breach | undefined => {
    const { at, method, replies } = declared.operation;
    const { headers, body } = arrival;
    if (arrival.method !== method) return { what: `${arrival.method}, where ${method} is declared`, at };
    if (replies.get('200')?.contents.length === 0 && body.length > 0)
      return { what: 'a body, where none is declared', at };
    const call = { ...callOf(declared, arrival), operation: expectedOf(declared, body) };
    const breach = judge(validProbeOf(call), { status: 200, headers, body });
    const wrong = secret === undefined ? undefined : wrongSignature(arrival, secret);
    return breach ?? (wrong === undefined ? undefined : { what: wrong, at });
  };
};

/** Judges webhooks and callbacks as they arrive. */
const createInbox = (contract: Contract, outgoing: readonly Outgoing[], secret: string | undefined) => {
  const judge = createJudgeArrival(contract, secret);
  const resultOf = oncePerKey((_each: Outgoing) => ({
    arrived: 0,
    right: 0,
    failures: new Map<string, Failure>(),
  }));
  const strays = new Set<string>();
  let lastArrival = 0;
  let fault: Error | undefined;

  const receive = (arrival: Arrival): void => {
    const candidates = outgoing.filter(({ target }) => target.test(arrival.target));
    const judged = candidates.map((declared) => ({ declared, breach: judge(declared, arrival) }));
    const meant = judged.find(({ breach }) => !breach) ?? judged[0];
    if (!meant) return void (strays.size < MOST && strays.add(`${arrival.method} ${arrival.target}`));
    const { declared, breach } = meant;
    const result = resultOf(declared);
    result.arrived += 1;
    if (!breach) result.right += 1;
    else if (result.failures.size < MOST)
      getOrInsert(result.failures, `${breach.at} ${breach.what}`, () => failureOf(declared, arrival, breach));
  };

  return {
    resultOf,
    /** Requests to undeclared targets. */
    strays: (): readonly string[] => [...strays],
    /** Throws the error that prevented judging, such as a schema that cannot be compiled. */
    requireSound: (): void => {
      if (fault) throw fault;
    },
    take: (arrival: Arrival): void => {
      try {
        receive(arrival);
      } catch (error) {
        fault ??= error instanceof Error ? error : new Error(String(error));
      }
      lastArrival = performance.now();
    },
    /** Waits until each wanted webhook has arrived and then nothing for a while, or the time is up. */
    settle: async (wanted: readonly Outgoing[]): Promise<void> => {
      const start = performance.now();
      const isSettled = (now: number): boolean =>
        now - start > PATIENCE ||
        (now - Math.max(start, lastArrival) > QUIET && wanted.every((each) => resultOf(each).arrived > 0));
      while (!isSettled(performance.now())) await pause(LOOK_EVERY);
    },
  };
};

/** Puts the URL of a callback into a valid request, if the contract allows it. */
const fillUrl = (
  { accepts }: Schemas,
  { parameters: declared }: Operation,
  valid: ValidRequest,
  to: Outgoing,
) => {
  const { body, parameters } = valid;
  const { place, url } = to;
  if (place?.in === 'body') {
    if (!body || body.value instanceof Uint8Array) return valid;
    const value = putAt(body.value, pointerSteps(place.name), url) ?? body.value;
    return accepts(body.content.schema, value) ? { ...valid, body: { ...body, value } } : valid;
  }
  const parameter = declared.find((each) => each.in === place?.in && each.name === place.name);
  if (!parameter || !accepts(parameter.schema, url)) return valid;
  return { ...valid, parameters: new Map([...parameters, [parameter, url]]) };
};

/** Opens a receiver that judges the webhooks and callbacks of a contract, and their signatures if there is a secret. */
export const openWebhooks = async (contract: Contract, place: ReceiverPlace, secret?: string) => {
  const receiver = await openReceiver(place, (arrival) => inbox.take(arrival));
  const outgoing = outgoingOf(contract, receiver.url);
  const inbox = createInbox(contract, outgoing, secret);
  return {
    ...inbox,
    ...receiver,
    outgoing,
    /** Puts the receiver's URLs into valid requests that ask for callbacks. */
    fillUrls: (operation: Operation, valid: ValidRequest): ValidRequest =>
      outgoing
        .filter(({ calledBy }) => calledBy === operation.id)
        .reduce((filled, each) => fillUrl(contract.request, operation, filled, each), valid),
  };
};

/** A receiver of webhooks and callbacks. */
export type Webhooks = Awaited<ReturnType<typeof openWebhooks>>;
