import { randomUUID } from 'node:crypto';
import type { Contract } from '../document/contract.ts';
import { judgeHttp } from '../http/rule.ts';
import { type Breach, type Call, type Reply, toWire, type WireRequest } from '../requests/call.ts';
import type { Probe } from '../requests/probe.ts';
import { type Credentials, createSecretOf } from './credentials.ts';
import { createJudge } from './judge/judge.ts';
import { createPatience, createPoliteSend } from './patience.ts';
import { NoAnswer, type Transport } from './transport.ts';

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
      const what = judgeHttp(probe.http, operation, reply);
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
      const hasHungUp = /ECONNRESET|EPIPE/.test(error.message);
      if (probe.http?.mayHangUp && hasHungUp) return { reply: undefined, breach: undefined };
      return { reply: undefined, breach: { what: `no answer: ${error.message}`, at: operation.at } };
    }
  };
};
