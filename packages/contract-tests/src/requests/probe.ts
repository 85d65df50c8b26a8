import type { Operation } from '../document/operations.ts';
import type { Pointer } from '../schemas/view.ts';
import type { Bodies } from './bodies.ts';
import type { Call, Reply } from './call.ts';
import type { ValidRequest } from './valid.ts';

/** Judges the reply to a request about HTTP itself; returns a message, or undefined. */
export type HttpRule = (reply: Reply) => string | undefined;

/** A request and the expected reply. */
export interface Probe {
  /** The fault in the request: `query.limit above 100`. */
  readonly name: string;
  /** Equal for probes with the same fault. */
  readonly kind: string;
  readonly call: Call;
  /** The expected status of an invalid request; `undefined` if it is valid. */
  readonly refusal: 400 | 401 | 415 | undefined;
  /** Further correct statuses. */
  readonly alsoRight?: readonly number[];
  /** Whether a service may reject it, since standards allow both. It must not fail. */
  readonly mayRefuse?: boolean;
  /** The rule for the reply, if the request is about HTTP itself. */
  readonly http?: HttpRule;
  /** The place of the fault, which the rejection must name: `query.limit`. */
  readonly named: string;
  /** The place of the contract that the request violates. */
  readonly at: () => Pointer;
}

/** Creates a probe of a valid request. */
export const validProbeOf = (call: Call): Probe => ({
  name: 'valid request',
  kind: 'valid',
  call,
  refusal: undefined,
  named: '',
  at: () => call.operation.at,
});

/** Creates the call of a valid request. */
export const callOf = (operation: Operation, valid: ValidRequest, { write }: Bodies): Call => ({
  operation,
  parameters: valid.parameters,
  body: valid.body && write(valid.body.content, valid.body.value),
  credentials: valid.schemes.map((scheme) => ({ scheme })),
});
