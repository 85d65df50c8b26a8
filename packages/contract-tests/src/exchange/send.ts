import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Contract } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import { judgeHttp } from '../http/rule.ts';
import {
  type Breach,
  type Call,
  isStub,
  type Probe,
  type Reply,
  toWire,
  type WireRequest,
} from '../requests/call.ts';
import { type Credentials, createSecretOf } from './credentials.ts';
import { createJudge } from './judge/judge.ts';
import { NoAnswer, type Transport } from './transport.ts';

/** Too many requests timed out, so no more are sent. */
export class Hanging extends Error {
  override readonly name = 'Hanging';
}

const MOST_HANGS_IN_A_ROW = 3;
const MOST_HANGS = 10;

/** Counts requests that time out, and stops sending after too many. */
const createPatience = () => {
  const inARow = new Map<string, number>();
  let hangs = 0;
  return {
    /** Throws if no more requests should be sent. */
    require: ({ id, at }: Operation): void => {
      if (hangs >= MOST_HANGS)
        throw new Hanging(`${hangs} requests got no answer in time, so no more are sent`);
      if ((inARow.get(at) ?? 0) >= MOST_HANGS_IN_A_ROW)
        throw new Hanging(`${id} gave no answer in time to several requests in a row, so it gets no more`);
    },
    count: ({ at }: Operation, isHanging: boolean): void => {
      inARow.set(at, isHanging ? (inARow.get(at) ?? 0) + 1 : 0);
      if (isHanging) hangs += 1;
    },
  };
};

const MOST_TRIES = 4;
const MOST_WAIT_MS = 5000;
const MOST_WAIT_IN_ALL_MS = 60_000;

/** How long the service asks the client to wait (RFC 9110, section 10.2.3). */
const retryAfter = ({ headers }: Reply, tries: number): number => {
  const said = headers['retry-after'] ?? '';
  if (/^\d+$/.test(said)) return Number(said) * 1000;
  const date = Date.parse(said);
  return Number.isNaN(date) ? 100 * 4 ** tries : Math.max(0, date - Date.now());
};

/** Whether a service is overloaded, so that the same request may succeed later. */
const isBusy = (reply: Reply): boolean =>
  reply.status === 429 ||
  (reply.status === 503 && reply.headers['retry-after'] !== undefined && !isStub(reply));

/** Creates a function that sends a request, and retries it when the service is busy. */
const createPoliteSend = ({ send }: Transport) => {
  let left = MOST_WAIT_IN_ALL_MS;
  return async (request: WireRequest): Promise<Reply> => {
    let waited = 0;
    for (let tries = 0; ; tries += 1) {
      const reply = await send(request);
      const wait = isBusy(reply) && tries + 1 < MOST_TRIES ? retryAfter(reply, tries) : Infinity;
      if (waited + wait > MOST_WAIT_MS || wait > left) return reply;
      waited += wait;
      left -= wait;
      await pause(wait);
    }
  };
};

/** A reply, and its breach if it is wrong. */
export interface JudgedReply {
  readonly reply: Reply | undefined;
  readonly breach: Breach | undefined;
}

/** The service under test, and how replies are judged. */
export interface SendOptions {
  readonly contract: Contract;
  readonly transport: Transport;
  readonly credentials: Credentials;
  /** Checks promises of the service that the contract does not contain. */
  readonly alsoExpect?: (probe: Probe, reply: Reply) => string | undefined;
}

const isIdempotencyKey = (name: string): boolean => name.toLowerCase() === 'idempotency-key';

/** Keywords of schemas that a UUID may not match. */
const NARROW = /"(?:pattern|enum|const|maxLength|\$ref|allOf|not)":/;

/**
 * Gives a valid request a unique `Idempotency-Key` if its schema takes any text: a service rightly rejects another
 * request with the same key, or repeats the first reply.
 */
const withOwnKey = (request: WireRequest, { parameters }: Call): WireRequest => {
  const key = [...parameters.keys()].find((each) => each.in === 'header' && isIdempotencyKey(each.name));
  if (!key || NARROW.test(JSON.stringify(key.schema))) return request;
  return {
    ...request,
    headers: request.headers.map(([name, value]) => [name, isIdempotencyKey(name) ? randomUUID() : value]),
  };
};

/** Creates a function that sends a probe and judges the reply. It throws if the service is unreachable, or hangs too often. */
export const createSend = ({ contract, transport, credentials, alsoExpect }: SendOptions) => {
  const judge = createJudge(contract);
  const secretOf = createSecretOf(credentials);
  const patience = createPatience();
  const send = createPoliteSend(transport);

  const findBreach = (probe: Probe, reply: Reply): Breach | undefined => {
    const { operation } = probe.call;
    const { at } = operation;
    if (probe.http) {
      const what = judgeHttp(probe.http, reply);
      return what === undefined ? undefined : { what, at };
    }
    if (reply.fault !== undefined) return { what: reply.fault, at };
    const breach = judge(probe, reply);
    if (breach) return breach;
    const what = alsoExpect?.(probe, reply);
    if (what !== undefined) return { what, at: probe.at() };
    return reply.late === undefined ? undefined : { what: reply.late, at };
  };

  return async (probe: Probe): Promise<JudgedReply> => {
    const { operation } = probe.call;
    patience.require(operation);
    try {
      const request = toWire(probe.call, secretOf);
      const isValid = probe.refusal === undefined && !probe.http;
      const reply = await send(isValid ? withOwnKey(request, probe.call) : request);
      patience.count(operation, false);
      return { reply, breach: findBreach(probe, reply) };
    } catch (error) {
      if (!(error instanceof NoAnswer) || error.isAway) throw error;
      patience.count(operation, error.isTimeout);
      return { reply: undefined, breach: { what: `no answer: ${error.message}`, at: operation.at } };
    }
  };
};
