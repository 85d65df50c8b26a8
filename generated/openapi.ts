// Generated from openapi.yaml by `npm run generate`. Do not edit: change the contract instead.

export interface paths {
    "/plants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a plant
         * @description Creates a new plant in the store and answers with it once it is durable.
         *
         *     Fields that `NewPlant` does not name are accepted and ignored: they are neither stored nor returned.
         */
        post: operations["createPlant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = {};
export interface components {
    schemas: {
        /** @description The record returned on creation */
        Plant: {
            /**
             * @description Name of the plant
             * @example Monstera deliciosa
             */
            name: string;
            /**
             * @description Tag that specifies the type of the plant
             * @example tropical
             */
            tag?: string;
        };
        /** @description The record sent on creation. It has every field of Plant, and the id. */
        NewPlant: components["schemas"]["Plant"] & {
            /**
             * Format: int64
             * @description Identification number of the plant. Supplied by the client
             * @example 41
             */
            id: bigint;
        };
        /** @description What went wrong */
        Error: {
            /**
             * Format: int32
             * @description The status times 100, plus a number that tells the cases of one status apart.
             *
             *     | error | meaning |
             *     |---|---|
             *     | 40001 | malformed JSON |
             *     | 40002 | does not match the schema |
             *     | 40003 | malformed HTTP |
             *     | 40101 | no credentials |
             *     | 40102 | invalid token |
             *     | 40301 | insufficient scope |
             *     | 40401 | no such path |
             *     | 40501 | no such method on this path |
             *     | 40801 | request too slow |
             *     | 40901 | id taken |
             *     | 41301 | body too large |
             *     | 41501 | unsupported media type |
             *     | 43101 | headers too large |
             *     | 50001 | internal error |
             *     | 50101 | not implemented |
             *     | 50301 | store unavailable |
             *     | 50302 | overloaded |
             *     | 50303 | keys unavailable |
             * @example 40002
             */
            error: number;
            /**
             * @description What is wrong and where, every violation in one go
             * @example body.name is required; body.id must be an int64
             */
            message: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    /**
     * Create a plant
     * @description Creates a new plant in the store and answers with it once it is durable.
     *
     *     Fields that `NewPlant` does not name are accepted and ignored: they are neither stored nor returned.
     */
    createPlant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The plant to add to the store */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPlant"];
            };
        };
        responses: {
            /** @description Plant response. The plant is in the store, and on disk. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plant"];
                };
            };
            /** @description Unexpected error. The request is not one that this service understands; nothing is stored. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No credentials, or a token that is not valid. Decided before the body is looked at. */
            401: {
                headers: {
                    /** @description The challenge of RFC 6750, section 3 */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request did not arrive in time. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Another plant holds this id. The stored plant stays as it was. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body, as sent or once inflated, is larger than the service takes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not `application/json` in UTF-8, or is compressed in an unknown way. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The header fields are larger than the service takes. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something failed inside the service. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The store cannot be reached, there is more to do than it can take, or the token cannot be verified
             *     now. Try again: a create that was not answered may or may not have happened, and sending it again is
             *     safe either way.
             */
            503: {
                headers: {
                    /** @description Seconds to wait before trying again */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
/** The security schemes of each operation; `undefined` where it needs no credentials. */
export interface security {
    createPlant: 'bearerAuth';
}
