import type { operations, Received, Replied } from '../../generated/openapi.ts';
import type { NotParameter } from './parameters/parameters.ts';
import type { Reply } from './reply/reply.ts';
import type { StatusOf } from './reply/status.ts';
import type { Principal } from './security.ts';

/** The operations of the contract, by operationId. */
export type OperationId = keyof operations;

/** The body in any of the declared media types. */
type ContentOf<T> = T extends { content: infer Content } ? Content[keyof Content] : undefined;

/** The decoded body of an operation's request. */
export type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer Body }
  ? Received<ContentOf<Body>>
  : operations[Id] extends { requestBody?: infer Body }
    ? Received<ContentOf<NonNullable<Body>>> | undefined
    : undefined;

/** The decoded parameters of an operation in one place; an empty object if there are none. */
type ParametersIn<
  Id extends OperationId,
  Place extends 'path' | 'query' | 'header' | 'cookie',
> = operations[Id] extends { parameters: { [In in Place]?: infer Parameters } }
  ? [NonNullable<Parameters>] extends [never]
    ? Readonly<Record<never, never>>
    : Received<NonNullable<Parameters>>
  : Readonly<Record<never, never>>;

/** The declared headers that are parameters. */
type HeaderParameters<Headers> = {
  [Name in keyof Headers as Name extends string
    ? Lowercase<Name> extends NotParameter
      ? never
      : Name
    : Name]: Headers[Name];
};

/** What a handler gets: a request that was matched, validated and decoded, and who sent it. */
export interface OperationRequest<Id extends OperationId> {
  readonly path: ParametersIn<Id, 'path'>;
  readonly query: ParametersIn<Id, 'query'>;
  readonly header: HeaderParameters<ParametersIn<Id, 'header'>>;
  readonly cookie: ParametersIn<Id, 'cookie'>;
  readonly body: RequestBody<Id>;
  /** Who sent it; `undefined` only if the contract lets everybody in. */
  readonly principal: Principal | undefined;
  /** If the request is traced: the header of that name for requests that the handler sends, so that they join the trace. */
  readonly traceparent?: string;
}

type Responses<Id extends OperationId> = operations[Id]['responses'];

/** The headers that a response declares; the types in `generated/` allow any others too. */
type DeclaredHeaders<Response> = Response extends { headers: infer Headers }
  ? { readonly [Name in keyof Headers as string extends Name ? never : Name]: Replied<Headers[Name]> }
  : Readonly<Record<never, never>>;

/** Headers may be left out where none is required. */
type WithHeaders<Response> =
  Readonly<Record<never, never>> extends DeclaredHeaders<Response>
    ? { readonly headers?: DeclaredHeaders<Response> & Readonly<Record<string, unknown>> }
    : { readonly headers: DeclaredHeaders<Response> & Readonly<Record<string, unknown>> };

/** A reply that the operation declares: one of its statuses, with the headers and the body of that status. */
export type OperationReply<Id extends OperationId> = Extract<
  {
    [Key in keyof Responses<Id>]: WithHeaders<Responses<Id>[Key]> & {
      readonly status: StatusOf<Key, keyof Responses<Id>>;
      readonly body: Replied<ContentOf<Responses<Id>[Key]>>;
    };
  }[keyof Responses<Id>],
  Reply
>;

/** Implements one operation. An undeclared status or a body of another shape does not compile. */
export type Handler<Id extends OperationId> = (request: OperationRequest<Id>) => Promise<OperationReply<Id>>;

/** A handler for every operation of the contract. A missing one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };
