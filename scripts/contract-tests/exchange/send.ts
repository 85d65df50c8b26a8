import type { Contract } from '../document/contract.ts';
import { type Answer, toWire } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import type { Breach } from './breach.ts';
import { type Credentials, revealFor } from './credentials.ts';
import { createJudge } from './judge.ts';
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

/** Makes a function that sends a probe and judges the answer. */
export const createSend = ({ contract, transport, credentials, alsoExpect, onAnswer }: SendOptions) => {
  const judge = createJudge(contract);
  const reveal = revealFor(credentials);
  return async (probe: Probe): Promise<Verdict> => {
    try {
      const answer = await transport.send(toWire(probe.draft, reveal));
      onAnswer?.();
      const breach = judge(probe, answer);
      const what = breach ? undefined : alsoExpect?.(probe, answer);
      return { answer, breach: what === undefined ? breach : { what, at: probe.at() } };
    } catch (error) {
      if (!(error instanceof NoAnswer) || error.isAway) throw error;
      return {
        answer: undefined,
        breach: { what: `no answer: ${error.message}`, at: probe.draft.operation.at },
      };
    }
  };
};

/** Sends a probe and judges the answer. */
export type Send = ReturnType<typeof createSend>;
