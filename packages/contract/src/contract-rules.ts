import type { UnknownBody, UnknownQuery } from './codec/findings.ts';
import type { IdempotencyStore } from './idempotency/store.ts';
import type { ErrorBodyOf } from './reply/refusal/error-forms.ts';
import type { Warn } from './reply/refusal/refusals.ts';
import type { Authenticators } from './security/security.ts';

/** How to handle the parts of a request that its operation does not declare. */
export interface UnknownRules {
  /** Ignored if not given. */
  readonly unknownQuery?: UnknownQuery | undefined;
  /** Dropped if not given. */
  readonly unknownBody?: UnknownBody | undefined;
}

/** Options for compiling a contract, in addition to its document and its handlers. */
export interface ContractRules extends UnknownRules {
  readonly authenticators: Authenticators;
  readonly maxBodyBytes: number;
  /** Whether stubs answer with the examples of the contract: outside production. */
  readonly answerStubs?: boolean;
  /** Where replies to requests with an `Idempotency-Key` are kept: in memory if not given; `false` leaves the key to the handlers. */
  readonly idempotency?: IdempotencyStore | false | undefined;
  /** Converts an error of a handler to a Problem, if possible; returns any other error unchanged. */
  readonly explain?: (error: unknown) => unknown;
  /** Whether every reply is validated before it is sent, and members that are not sent are reported: outside production. */
  readonly checkReplies?: boolean;
  /** The owner's error bodies, used wherever the contract allows them. */
  readonly errorBody?: ErrorBodyOf;
  /** Called once with each fault of the service's replies. */
  readonly warn?: Warn | undefined;
}
