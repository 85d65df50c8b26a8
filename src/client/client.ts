/** A typed client of the contract, for Node and browsers: it needs `fetch` and nothing else. */
import { type Operation, operations } from '../../generated/client.ts';
import type { Credentials } from './credentials.ts';
import { readReply } from './reply.ts';
import { type AnyRequest, writeRequest } from './request.ts';
import type { Client, OperationId } from './types.ts';

export * from '../../generated/client.ts';
export type { components } from '../../generated/openapi.ts';
export type { Credentials } from './credentials.ts';
export { UnexpectedReply } from './reply.ts';
export type { Call, Client, ClientReply, ClientRequest, OperationId } from './types.ts';

/** Where the service is, and what the client shows it. */
export interface ClientOptions extends Credentials {
  /** The address of the service, with the path that its operations stand under. */
  readonly url: string;
  /** Takes the place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** The address without a slash at its end: the paths of operations start with one. */
const baseOf = (url: string): string => {
  if (/[?#]/.test(url)) throw new TypeError(`url must have neither query nor fragment, not ${url}`);
  return url.endsWith('/') ? url.slice(0, -1) : url;
};

/** Makes a client of some operations. A bundler leaves out all others. */
export const createClientOf = <Id extends OperationId>(
  described: readonly Operation<Id>[],
  { url, fetch: send = fetch, ...credentials }: ClientOptions,
): Client<Id> => {
  const base = baseOf(url);
  const call =
    (operation: Operation) =>
    async (request: AnyRequest = {}) =>
      readReply(operation, await send(...(await writeRequest(operation, base, credentials, request))));
  // `Client` has the types of each operation. Entries are untyped, so they fit any of them.
  return Object.fromEntries(described.map((operation): unknown[] => [operation.id, call(operation)]));
};

/** Makes a client of every operation in the contract. */
export const createClient = (options: ClientOptions): Client =>
  createClientOf(Object.values(operations), options);
