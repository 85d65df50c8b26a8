/** A typed client of a contract, for Node and browsers: it needs `fetch` and nothing else. */
import type { Credentials } from './credentials.ts';
import type { Operation } from './operation.ts';
import { readReply } from './reply.ts';
import { type AnyRequest, writeRequest } from './request.ts';
import type { AnyContract, Client, OperationId } from './types.ts';

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

/** Makes a client of some operations, as `generated/client.ts` describes them. */
export const createClient = <Contract extends AnyContract, Id extends OperationId<Contract>>(
  described: readonly Operation<Id>[],
  { url, fetch: send = fetch, ...credentials }: ClientOptions,
): Client<Contract, Id> => {
  const base = baseOf(url);
  const call =
    (operation: Operation) =>
    async (request: AnyRequest = {}) =>
      readReply(operation, await send(...(await writeRequest(operation, base, credentials, request))));
  // `Client` has the types of each operation. Entries are untyped, so they fit any of them.
  return Object.fromEntries(described.map((operation): unknown[] => [operation.id, call(operation)]));
};
