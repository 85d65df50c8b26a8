import type { Operation } from '../document/operations.ts';
import type { Pointer } from '../view/view.ts';
import type { Bodies } from './bodies.ts';
import type { Call } from './call.ts';
import type { ValidRequest } from './valid.ts';

/** Rules of HTTP for a reply, beside the rule that the service must not fail. */
export interface HttpRule {
  /** The methods of the path: Allow of a 405 must list them, and not the rejected method. */
  readonly allow?: readonly string[];
  /** The expected statuses, where a success is wrong: `405 or 404`. */
  readonly noSuccess?: string;
  /** Whether an HTML page counts as a success. */
  readonly noPage?: boolean;
  /** The reply to the GET that corresponds to a HEAD. */
  readonly like?: Likeness;
  /** Whether the service may close the connection without an answer. */
  readonly mayHangUp?: boolean;
}

/** The common status and headers of replies to a GET, which the reply to HEAD must have. */
export interface Likeness {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

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
