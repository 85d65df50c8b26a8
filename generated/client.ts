// Generated from openapi.yaml by `npm run generate`. Do not edit: change the contract instead.
import { type Client, type ClientOptions, type Operation, createClient as make } from "@trellis/client";
import type { operations as described } from "./openapi.ts";

/** The contract, as the types of the client need it. */
export interface Contract {
    readonly operations: described;
    /** The parameters that need not be sent, since they have a default. */
    readonly defaulted: {};
    /** The operations whose replies have no body. */
    readonly heads: never;
}


/** POST /plants: Create a plant */
export const createPlant: Operation<"createPlant"> = {
    id: "createPlant",
    method: "POST",
    path: "/plants",
    security: [[{ type: "bearer" }]],
    bodies: { "application/json": { as: "json" } },
    replies: {
        200: { "application/json": { as: "json" } },
        400: { "application/json": { as: "json" } },
        401: { "application/json": { as: "json" } },
        408: { "application/json": { as: "json" } },
        409: { "application/json": { as: "json" } },
        413: { "application/json": { as: "json" } },
        415: { "application/json": { as: "json" } },
        431: { "application/json": { as: "json" } },
        500: { "application/json": { as: "json" } },
        503: { "application/json": { as: "json" } },
    },
};

/** Every operation, by its operationId. */
export const operations = { createPlant: createPlant };

/** Makes a client of some operations. A bundler leaves out all others. */
export const createClientOf = <Id extends keyof described>(
    some: readonly Operation<Id>[],
    options: ClientOptions,
): Client<Contract, Id> => make<Contract, Id>(some, options);

/** Makes a client of every operation in the contract. */
export const createClient = (options: ClientOptions): Client<Contract> =>
    createClientOf<keyof described>(Object.values(operations), options);
