import type { Document } from '@trellis/openapi/internal/document';
import { nearestTo } from '@trellis/openapi/internal/json';
import { createBackend } from './backend.ts';
import type { ContractRules } from './contract-rules.ts';
import type { AnyHandlers } from './handler.ts';
import type { WireReply } from './reply/replies.ts';
import { stub } from './reply/stub.ts';
import type { Exchange } from './request/exchange.ts';
import type { IncomingHead } from './request/incoming.ts';
import type { RoutedOperation } from './routing/router.ts';
import { answerOtherMethod, pathAsSent } from './routing/routes.ts';
import { createServing } from './serve-operation.ts';

/**
 * Serves a request by the contract: match, authenticate, read, validate, handle, reply. Returns `undefined` if the
 * contract does not have the path; throws a Problem, or rejects with one, if it refuses the request. Records its findings, such as the
 * operation and the principal, in the exchange.
 */
export type ServeContract = (exchange: Exchange) => Promise<WireReply> | undefined;

const listed = (ids: readonly string[]) => ids.join(', ');

/** The types promise this already, but for the document that they were generated from. This may be another one. */
const checkHandlers = (operations: readonly RoutedOperation[], handlers: AnyHandlers): void => {
  const declared = operations.map(({ operationId }) => operationId);
  const missing = declared.filter((id) => !Object.hasOwn(handlers, id));
  const unknown = Object.keys(handlers).filter((id) => !declared.includes(id));
  const [misspelt] = unknown.flatMap((id) => {
    const meant = nearestTo(id, missing);
    return meant === undefined ? [] : [`${id}; did you mean ${meant}?`];
  });
  const remedy = 'run `npm run generate` and follow the compiler';
  if (misspelt !== undefined) throw new Error(`openapi.yaml: no operation for handler ${misspelt}`);
  if (missing.length > 0) throw new Error(`openapi.yaml: no handler for ${listed(missing)}; ${remedy}`);
  if (unknown.length > 0)
    throw new Error(`openapi.yaml: no operation for handler ${listed(unknown)}; ${remedy}`);
};

/** Compiles a document and its handlers into a function that serves requests. Throws if they do not fit. */
export const compileContract = async (
  document: Document,
  handlers: AnyHandlers,
  options: ContractRules,
): Promise<ServeContract> => {
  const backend = createBackend(document, options);
  const { router } = backend;
  checkHandlers(router.getOperations(), handlers);
  // Loaded on demand: a service in production never needs it.
  const examples = options.answerStubs ? await import('./examples/replies.ts') : undefined;
  const serveWith = createServing(backend, options, examples?.createExampleReplies);
  const served = new Map(
    router
      .getOperations()
      .map((operation) => [operation, serveWith(operation, handlers[operation.operationId] ?? stub)]),
  );
  return (exchange) => {
    const { method, url, originalUrl, headers } = exchange.request;
    const head: IncomingHead = { method, path: url, headers, params: {}, exchange };
    const operation = router.matchOperation(head);
    exchange.operation = operation?.operationId;
    const serve = operation && served.get(operation);
    if (serve) {
      exchange.trace?.matched(operation.route);
      return serve(head, exchange);
    }
    const methods = router.methodsAt(url);
    if (methods.length === 0) return undefined;
    return Promise.resolve(answerOtherMethod(method, pathAsSent(originalUrl ?? url) || '/', methods));
  };
};
