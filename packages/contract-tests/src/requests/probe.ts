import type { Operation } from '../document/operations.ts';
import type { Pointer } from '../view/view.ts';
import type { Bodies } from './bodies.ts';
import type { Draft } from './draft.ts';
import type { ValidRequest } from './valid.ts';

/** Rules of HTTP that a reply must follow. That the service does not fail goes without saying. */
export interface HttpRule {
  /** The methods of the path: a 405 must name them in Allow, and not the method that it refuses. */
  readonly allow?: readonly string[];
  /** The statuses that are right where a success is wrong: `405 or 404`. */
  readonly noSuccess?: string;
  /** Whether a page for people is a success too. */
  readonly noPage?: boolean;
  /** The reply to the GET of a HEAD. */
  readonly like?: Likeness;
  /** Whether a service may close the connection, before it answers or after. */
  readonly mayHangUp?: boolean;
}

/** The status and headers that all replies to a GET share. The reply to its HEAD must have them, too. */
export interface Likeness {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A valid or invalid request, with the reply it must get. */
export interface Probe {
  /** The fault in it, if any: `query.limit above 100`. */
  readonly name: string;
  /** The same for probes that do not differ in anything that matters. */
  readonly kind: string;
  readonly draft: Draft;
  /** The status that it must be refused with; `undefined` if it is valid. */
  readonly refusal: 400 | 401 | 415 | undefined;
  /** Other statuses of a refusal that are as right. */
  readonly alsoRight?: readonly number[];
  /** Whether a service may refuse it all the same, since the standards leave that open. It must not fail. */
  readonly mayRefuse?: boolean;
  /** What the reply is judged by instead, if the request is about HTTP itself. */
  readonly http?: HttpRule;
  /** The place that the refusal must name: `query.limit`. */
  readonly named: string;
  /** The place of the contract that it breaks. */
  readonly at: () => Pointer;
}

/** A probe that must be answered as valid. */
export const validProbeOf = (draft: Draft): Probe => ({
  name: 'valid request',
  kind: 'valid',
  draft,
  refusal: undefined,
  named: '',
  at: () => draft.operation.at,
});

/** Makes the draft of a valid request. */
export const draftOf = (operation: Operation, valid: ValidRequest, { write }: Bodies): Draft => ({
  operation,
  parameters: valid.parameters,
  body: valid.body && write(valid.body.content, valid.body.value),
  credentials: valid.schemes.map((scheme) => ({ scheme })),
});
