// Generated from openapi.yaml by `npm run generate`. Do not edit: change the contract instead.
import type * as server from "@trellis/server";
import type { operations, security } from "./openapi.ts";

/** The contract, as the types of the server need it. */
export interface Contract {
    readonly operations: operations;
    readonly security: security;
    readonly principal: server.Principal;
}

/** The file of the contract. With it, `serve` and `createService` take the handlers of this contract only. */
export const contract: server.ContractFile<Contract> = new URL("../openapi.yaml", import.meta.url);

/** The operations of the contract, by operationId. */
export type OperationId = keyof operations;

/** The decoded body of an operation's request. */
export type RequestBody<Id extends OperationId> = server.RequestBody<Contract, Id>;

/** The request that a handler receives: matched, validated, decoded, with its caller. */
export type OperationRequest<Id extends OperationId> = server.OperationRequest<Contract, Id>;

/** A reply that the operation declares: a status with its headers and its body. */
export type OperationReply<Id extends OperationId> = server.OperationReply<Contract, Id>;

/** Implements one operation. An undeclared status or a body of another shape does not compile. */
export type Handler<Id extends OperationId> = server.Handler<Contract, Id>;

/** Implements an operation with a separate limit for its bodies. */
export type LimitedHandler<Id extends OperationId> = server.LimitedHandler<Contract, Id>;

/** Implements an operation whose body is read while it arrives, however large it is. */
export type UploadHandler<Id extends OperationId> = server.UploadHandler<Contract, Id>;

/** A handler for every operation of the contract. A missing one does not compile. */
export type Handlers = server.Handlers<Contract>;
