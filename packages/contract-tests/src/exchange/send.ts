import type { Contract } from '../document/contract.ts';
import { judgeHttp } from '../http/rule.ts';
import { type Answer, type Breach, toWire } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { type Credentials, revealFor } from './credentials.ts';
import { createJudge } from './judge.ts';
import { createPatience, createPoliteSend } from './patience.ts';
import { NoAnswer, type Transport } from './transport.ts';

/** An answer, and what is wrong with it. */
export interface Verdict {
  readonly answer: Answer | undefined;
  readonly breach: Breach | undefined;
}

/** Where probes are sent, and how their answers are judged. */
export interface SendOptions {
  readonly contract: Contract;
  readonly transport: Transport;
  readonly credentials: Credentials;
  /** A further check of an answer, for a service that promises more than its contract says. */
  readonly alsoExpect?: (probe: Probe, answer: Answer) => string | undefined;
  /** Called after every answer. */
  readonly onAnswer?: () => void;
}

/** Makes a function that sends a probe and judges the answer. It throws if the service is away, or hangs too often. */
export const createSend = ({ contract, transport, credentials, alsoExpect, onAnswer }: SendOptions) => {
  const judge = createJudge(contract);
  const reveal = revealFor(credentials);
  const patience = createPatience();
  const send = createPoliteSend(transport, onAnswer ?? (() => {}));

  const findBreach = (probe: Probe, answer: Answer): Breach | undefined => {
    const { operation } = probe.draft;
    const { at } = operation;
    if (probe.http) {
      const what = judgeHttp(probe.http, operation, answer);
      return what === undefined ? undefined : { what, at };
    }
    if (answer.fault !== undefined) return { what: answer.fault, at };
    const breach = judge(probe, answer);
    if (breach) return breach;
    const what = alsoExpect?.(probe, answer);
    if (what !== undefined) return { what, at: probe.at() };
    return answer.late === undefined ? undefined : { what: answer.late, at };
  };

  return async (probe: Probe): Promise<Verdict> => {
    const { operation } = probe.draft;
    patience.require(operation);
    try {
      const answer = await send(toWire(probe.draft, reveal));
      patience.count(operation, false);
      return { answer, breach: findBreach(probe, answer) };
    } catch (error) {
      if (!(error instanceof NoAnswer) || error.isAway) throw error;
      patience.count(operation, error.isTimeout);
      const hasHungUp = /ECONNRESET|EPIPE/.test(error.message);
      if (probe.http?.mayHangUp && hasHungUp) return { answer: undefined, breach: undefined };
      return { answer: undefined, breach: { what: `no answer: ${error.message}`, at: operation.at } };
    }
  };
};

/** Sends a probe and judges the answer. */
export type Send = ReturnType<typeof createSend>;
