import type { Document } from '@trellis/openapi/internal/document';
import { nearestTo } from '@trellis/openapi/internal/json';
import { createBackend, type UnknownRules } from './backend.ts';
import type { ReportDropped } from './codec/encode.ts';
import type { AnyHandlers } from './handler.ts';
import { createMemoryStore, type IdempotencyStore } from './idempotency/store.ts';
import { compileOperations } from './operations.ts';
import type { ErrorBodyOf } from './reply/refusal/form.ts';
import type { WireReply } from './reply/replies.ts';
import { stub } from './reply/stub.ts';
import type { Exchange } from './request/exchange.ts';
import type { IncomingHead } from './request/incoming.ts';
import { answerOtherMethod, type RoutedOperation } from './routing/router.ts';
import { pathAsSent } from './routing/target.ts';
import { createAuthentication } from './security/authentication.ts';
import type { Authenticators } from './security/security.ts';
import { compileServing } from './serve-operation.ts';

/** Options for compiling a contract, in addition to its document and its handlers. */
export interface ContractRules extends UnknownRules {
  readonly authenticators: Authenticators;
  readonly maxBodyBytes: number;
  /** Whether every reply is validated before it is sent: outside production. */
  readonly checkReplies?: boolean;
  /** Called with each member of a reply that is not sent: outside production. */
  readonly reportDropped?: ReportDropped | undefined;
  /** Whether stubs answer with the examples of the contract: outside production. */
  readonly answerStubs?: boolean;
  /** The owner's error bodies, used wherever the contract allows them. */
  readonly errorBody?: ErrorBodyOf;
  /** Where replies to requests with an `Idempotency-Key` are kept: in memory if not given; `false` leaves the key to the handlers. */
  readonly idempotency?: IdempotencyStore | false | undefined;
  /** Converts an error of a handler to a Problem, if possible; returns any other error unchanged. */
  readonly explain?: (error: unknown) => unknown;
}

/**
 * Serves a request by the contract: match, authenticate, read, validate, handle, reply. Returns `undefined` if the
 * contract does not have the path; throws a Problem if it refuses the request. Records its findings, such as the
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
  const { authenticators, maxBodyBytes, errorBody, explain = (error) => error } = options;
  const answerStubs = options.answerStubs ?? false;
  const backend = createBackend(document, options);
  const { router } = backend;
  checkHandlers(router.getOperations(), handlers);
  const operations = compileOperations(backend, {
    checkReplies: options.checkReplies ?? false,
    reportDropped: options.reportDropped,
    errorBody,
    // Loaded on demand: a service in production never needs it.
    createExamples: answerStubs ? (await import('./examples/replies.ts')).createExampleReplies : undefined,
  });
  const rules = {
    backend,
    authenticationFor: createAuthentication(document, authenticators),
    maxBodyBytes,
    idempotency: options.idempotency ?? createMemoryStore(),
    answerStubs,
    explain,
  };
  const served = new Map(
    operations.map((each) => [
      each.operation,
      compileServing(rules, each, handlers[each.operation.operationId] ?? stub),
    ]),
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
