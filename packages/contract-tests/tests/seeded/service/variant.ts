import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { OtherChecks } from './checks.ts';
import type { Members, Value } from './json.ts';
import type { OperationId } from './routes.ts';

/** A request as it came in. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** How many requests came before it. */
  readonly index: number;
  /** The operation that its path and method name. */
  readonly operation: OperationId | undefined;
  /** The parameters in its path, as they were sent. */
  readonly segments: Readonly<Record<string, string>>;
}

/** A request that has passed all checks. */
export interface Call extends Received {
  readonly parameters: Readonly<Record<string, Value>>;
  readonly sent: Value;
}

/** An answer, before it is written. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Value | undefined;
  /** Sent instead of a body. */
  readonly raw?: string | Buffer;
}

/** What answers the requests of each operation. */
export type Handlers = Readonly<Record<OperationId, (call: Call) => Reply>>;

/** All that the service remembers. */
export interface Library {
  readonly books: Map<bigint, Members>;
  readonly reviews: Map<bigint, readonly Members[]>;
  readonly loans: Map<string, Members>;
  readonly shelves: Map<string, Members>;
  /** A number that was not there before. */
  readonly next: () => number;
}

/** A deviation from the service that the contract describes. */
export interface Variant {
  /** The operations that show it; all of them, if it does not say. */
  readonly where?: readonly OperationId[];
  readonly checks?: OtherChecks;
  /** Answers before anything else is looked at. */
  readonly receives?: (received: Received) => Reply | undefined;
  /** Whether the credentials are valid; `right` is the right credential. */
  readonly admits?: (received: Received, right: boolean) => boolean;
  /** Answers before the body is looked at. */
  readonly looksUp?: (call: Call, library: Library) => Reply | undefined;
  /** The valid requests that it refuses with 400. */
  readonly refuses?: (call: Call) => boolean;
  /** The valid requests that it fails on. */
  readonly crashes?: (call: Call) => boolean;
  readonly handlers?: (right: Handlers, library: Library) => Partial<Handlers>;
  /** Changes an answer before it is written. */
  readonly replies?: (reply: Reply, received: Received, library: Library) => Reply;
  /** Writes the reply itself, and returns true. */
  readonly writes?: (response: ServerResponse, reply: Reply, received: Received) => boolean;
}

/** Variants by a phrase after "a service that …". */
export type Variants = Readonly<Record<string, Variant>>;

/** A variant that breaks the contract. */
export interface Bug extends Variant {
  /** A failure must name one of these operations; empty if the bug concerns no operation. */
  readonly names: readonly OperationId[];
}

/** Bugs by a phrase after "a service that …". */
export type Bugs = Readonly<Record<string, Bug>>;
