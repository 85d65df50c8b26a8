/** A typed client of a contract, for Node and browsers: it needs `fetch` and nothing else. */
import type { Credentials } from './credentials.ts';
import type { Operation } from './operation.ts';
import { readReply } from './reply.ts';
import { type AnyRequest, type CallOptions, type OutgoingRequest, writeRequest } from './request.ts';
import type { AnyContract, Client, OperationId } from './types.ts';

/** Options of `createClient`: the URL of the service, credentials, and how requests are sent. */
export interface ClientOptions extends Credentials, CallOptions {
  /** URL of the service, including its base path. */
  readonly url: string;
  /** Called before each request; it may change the URL and the headers. */
  readonly onRequest?: (request: OutgoingRequest) => unknown;
  /** Called with each response before it is read; a Response that it returns replaces the original. */
  readonly onReply?: (response: Response, request: OutgoingRequest) => unknown;
}

/** The address without a slash at its end: the paths of operations start with one. */
const baseOf = (url: string): string => {
  if (/[?#]/.test(url)) throw new TypeError(`url must have neither query nor fragment, not ${url}`);
  return url.endsWith('/') ? url.slice(0, -1) : url;
};

/** A signal that is aborted with the caller's, or when the time is over. */
const startTimeout = (signal?: AbortSignal, milliseconds?: number) => {
  if (milliseconds === undefined) return { signal, end: () => {} };
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException(`no reply in ${milliseconds} ms`, 'TimeoutError'));
  const timer = setTimeout(expire, milliseconds);
  return {
    signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
    end: () => clearTimeout(timer),
  };
};

/**
 * Creates a client from descriptions of operations. `trellis generate` writes a `createClient` that has them already.
 *
 * @example
 * const client = createClient<Contract, 'getThing'>([getThing], { url: 'https://things.example', token: 's3cret' });
 * const { status, body } = await client.getThing({ path: { id: 7n } });
 */
export const createClient = <Contract extends AnyContract, Id extends OperationId<Contract>>(
  described: readonly Operation<Id>[],
  options: ClientOptions,
): Client<Contract, Id> => {
  const base = baseOf(options.url);
  const { onRequest, onReply } = options;

  const sendUntilDone = async (operation: Operation, request: AnyRequest, signal?: AbortSignal) => {
    const send = request.fetch ?? options.fetch ?? fetch;
    const retry = request.retry ?? options.retry ?? (() => false);
    for (let retries = 0; ; retries += 1) {
      const { url, init } = await writeRequest(operation, base, options, request);
      const outgoing = { operation, retries, url, headers: init.headers, body: init.body, signal };
      await onRequest?.(outgoing);
      try {
        const got = await send(outgoing.url, signal ? { ...init, signal } : init);
        const instead = await onReply?.(got, outgoing);
        const response = instead instanceof Response ? instead : got;
        if (!(await retry({ ...outgoing, response })))
          return await readReply(operation, response, request.stream === true);
      } catch (error) {
        if (!(await retry({ ...outgoing, error }))) throw error;
      }
    }
  };

  const call =
    (operation: Operation) =>
    async (request: AnyRequest = {}) => {
      const { signal, end } = startTimeout(request.signal, request.timeout ?? options.timeout);
      return sendUntilDone(operation, request, signal).finally(end);
    };
  // `Client` has the types of each operation. Entries are untyped, so they fit any of them.
  return Object.fromEntries(described.map((operation): unknown[] => [operation.id, call(operation)]));
};
