// Generated from openapi.yaml by `npm run generate`. Do not edit: change the contract instead.
import type * as server from "@trellis/server";
import type * as sending from "@trellis/server/webhooks";
import type { operations, webhooks } from "./openapi.ts";

/** The operations of the contract, by operationId. */
export type OperationId = keyof operations;

/** The decoded body of an operation's request. */
export type RequestBody<Id extends OperationId> = server.RequestBody<operations, Id>;

/** What a handler gets: a request that was matched, validated and decoded, and who sent it. */
export type OperationRequest<Id extends OperationId> = server.OperationRequest<operations, Id>;

/** A reply that the operation declares: one of its statuses, with the headers and the body of that status. */
export type OperationReply<Id extends OperationId> = server.OperationReply<operations, Id>;

/** Implements one operation. An undeclared status or a body of another shape does not compile. */
export type Handler<Id extends OperationId> = server.Handler<operations, Id>;

/** Implements an operation with a limit of its own for its bodies. */
export type LimitedHandler<Id extends OperationId> = server.LimitedHandler<operations, Id>;

/** Implements an operation whose body is read while it arrives, however large it is. */
export type UploadHandler<Id extends OperationId> = server.UploadHandler<operations, Id>;

/** A handler for every operation of the contract. A missing one does not compile. */
export type Handlers = server.Handlers<operations>;

/** Sends the webhooks and callbacks of the contract. An undeclared name or a body of another shape does not compile. */
export type Webhooks<Transaction> = sending.Webhooks<webhooks, Transaction>;
