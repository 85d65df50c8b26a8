import type { operations } from '../../generated/openapi.ts';
import type { Principal } from './security.ts';

/** The operations of the contract, by operationId. */
export type OperationId = keyof operations;

type JsonOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The decoded body of an operation's request. */
export type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer Body }
  ? JsonOf<Body>
  : operations[Id] extends { requestBody?: infer Body }
    ? JsonOf<NonNullable<Body>> | undefined
    : undefined;

/** A request that has been matched, authenticated, validated and decoded. */
export interface OperationRequest<Id extends OperationId> {
  readonly body: RequestBody<Id>;
  /** Who asks; `undefined` only where the contract lets everybody in. */
  readonly principal: Principal | undefined;
}

/** What every reply is made of, whatever the operation. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Responses<Id extends OperationId> = operations[Id]['responses'];

/** A reply that the operation declares: one of its statuses, with the body of that status. */
export type OperationReply<Id extends OperationId> = Extract<
  {
    [Status in keyof Responses<Id>]: {
      readonly status: Status;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: JsonOf<Responses<Id>[Status]>;
    };
  }[keyof Responses<Id>],
  Reply
>;

/** Implements one operation. An undeclared status or a body of another shape does not compile. */
export type Handler<Id extends OperationId> = (request: OperationRequest<Id>) => Promise<OperationReply<Id>>;

/** A handler for every operation of the contract. A missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };
