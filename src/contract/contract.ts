import type { IncomingMessage } from 'node:http';
import type { Document } from 'openapi-backend';
import { readBody } from './body.ts';
import { createBudget } from './budget.ts';
import { type ContractOperation, createEngine } from './engine.ts';
import type { Handler, Handlers, OperationId, Reply, RequestBody } from './handler.ts';
import { createRoutes } from './routes.ts';
import { type Authenticators, createSecurity } from './security.ts';

/** What a contract is made of. */
export interface ContractOptions {
  readonly document: Document;
  readonly handlers: Handlers;
  readonly authenticators: Authenticators;
  readonly maxBodyBytes: number;
  /** What all requests together may keep in memory. */
  readonly maxBufferedBytes?: number;
  /** Makes a Problem of what a handler throws, where it knows one; hands on anything else. */
  readonly explain?: (error: unknown) => unknown;
}

/**
 * Serves a request by the contract: match, authenticate, read, validate, handle. Answers nothing for a path
 * that the contract does not have; throws a Problem for a request that it refuses.
 */
export type Contract = (request: IncomingMessage) => Promise<Reply> | undefined;

/** Enough for 650 bodies of 100 KiB at once, or for more small ones than there are connections. */
const MAX_BUFFERED_BYTES = 64 * 2 ** 20;

const listed = (ids: readonly string[]) => ids.join(', ');

/** The types promise this already, for the document that they were generated from. This one may be another. */
const checkHandlers = (operations: readonly ContractOperation[], handlers: Handlers): void => {
  const declared = operations.map(({ id }) => id);
  const missing = declared.filter((id) => !Object.hasOwn(handlers, id));
  const unknown = Object.keys(handlers).filter((id) => !declared.includes(id));
  const remedy = 'run `npm run generate` and follow the compiler';
  if (missing.length > 0) throw new Error(`openapi.yaml: no handler for ${listed(missing)}; ${remedy}`);
  if (unknown.length > 0)
    throw new Error(`openapi.yaml: no operation for handler ${listed(unknown)}; ${remedy}`);
};

/** Makes a document and its handlers into something that serves requests. Throws if they do not fit. */
export const createContract = async (options: ContractOptions): Promise<Contract> => {
  const { document, handlers, authenticators, maxBodyBytes, explain = (error) => error } = options;
  const openShare = createBudget(Math.max(options.maxBufferedBytes ?? MAX_BUFFERED_BYTES, maxBodyBytes * 2));
  const isHandled = (id: string): id is OperationId => Object.hasOwn(handlers, id);
  const operations = await createEngine(document);
  checkHandlers(operations, handlers);
  const secure = createSecurity(document, authenticators);

  const bind = <Id extends OperationId>(id: Id, { security, takesBody, decodeBody }: ContractOperation) => {
    const handle: Handler<Id> = handlers[id];
    const authenticate = secure(security);
    return async (request: IncomingMessage): Promise<Reply> => {
      const principal = await authenticate(request.headers);
      const share = openShare();
      try {
        const bytes = takesBody ? await readBody(request, maxBodyBytes, share) : undefined;
        return await handle({ principal, body: decodeBody<RequestBody<Id>>(bytes) });
      } catch (error) {
        throw explain(error);
      } finally {
        share.release();
      }
    };
  };
  const find = createRoutes(
    operations.flatMap((operation) => {
      const { id, method, path } = operation;
      return isHandled(id) ? [{ method, path, serve: bind(id, operation) }] : [];
    }),
  );
  return (request) => find(request.method ?? '', request.url ?? '')?.serve(request);
};
