import { setTimeout as pause } from 'node:timers/promises';
import { getOrInsert, oncePerKey } from '@trellis/openapi/internal/json';
import type { Contract } from '../document/contract.ts';
import type { Failure } from '../exchange/failure.ts';
import { createJudge } from '../exchange/judge/judge.ts';
import { undeclared } from '../http/attempt.ts';
import { type Breach, type Call, single } from '../requests/call.ts';
import { validProbeOf } from '../requests/probe.ts';
import type { Outgoing } from './outgoing.ts';
import type { Arrival } from './receiver.ts';
import { wrongSignature } from './signature.ts';

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

/** Judges webhooks and callbacks as they arrive. */
export const createInbox = (
  contract: Contract,
  outgoing: readonly Outgoing[],
  secret: string | undefined,
) => {
  const judge = createJudge(contract);
  /** The result of a webhook or callback so far. */
  const resultOf = oncePerKey((_each: Outgoing) => ({
    arrived: 0,
    right: 0,
    failures: new Map<string, Failure>(),
  }));
  const strays = new Set<string>();
  let lastArrival = 0;
  let fault: Error | undefined;

  const breachOf = (declared: Outgoing, arrival: Arrival): Breach | undefined => {
    const { operation, isBodyRequired } = declared;
    const { at, method, replies } = operation;
    const { headers, body } = arrival;
    if (arrival.method !== method) return { what: `${arrival.method}, where ${method} is declared`, at };
    const content = replies.get('200');
    if (content?.contents.length === 0 && body.length > 0)
      return { what: 'a body, where none is declared', at };
    const mayBeEmpty = content && body.length === 0 && !isBodyRequired;
    const judged = mayBeEmpty
      ? { ...operation, replies: new Map([['200', { ...content, contents: [] }]]) }
      : operation;
    const call = { ...callOf(declared, arrival), operation: judged };
    const breach = judge(validProbeOf(call), { status: 200, headers, body });
    const wrong = secret === undefined ? undefined : wrongSignature(arrival, secret);
    return breach ?? (wrong === undefined ? undefined : { what: wrong, at });
  };

  const receive = (arrival: Arrival): void => {
    const candidates = outgoing.filter(({ target }) => target.test(arrival.target));
    const judged = candidates.map((each) => ({ each, breach: breachOf(each, arrival) }));
    const meant = judged.find(({ breach }) => !breach) ?? judged[0];
    if (!meant) {
      if (strays.size < MOST) strays.add(`${arrival.method} ${arrival.target}`);
      return;
    }
    const { each, breach } = meant;
    const count = resultOf(each);
    count.arrived += 1;
    if (!breach) count.right += 1;
    else if (count.failures.size < MOST) {
      const reply = { status: 204, headers: {}, body: Buffer.alloc(0) };
      const exchanges = [{ call: callOf(each, arrival), reply }];
      getOrInsert(count.failures, `${breach.at} ${breach.what}`, () => ({
        name: 'received request',
        exchanges,
        breach,
      }));
    }
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
