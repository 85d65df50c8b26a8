import type { Document } from '@trellis/openapi/internal/document';
import { type ExactValue, nearestTo, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import type { Request } from 'express';
import { createAuthentication } from './authentication.ts';
import { createBackend, type UnknownRules } from './backend.ts';
import type { Share } from './body/budget.ts';
import { bodyLimitOf, bodySettingsOf } from './body/limits.ts';
import { closeUpload } from './body/upload.ts';
import type { ReportDropped } from './codec/encode.ts';
import type { AnyHandlers } from './handler.ts';
import { keyIn, serveOnce } from './idempotency/serve-once.ts';
import { createMemoryStore, type IdempotencyStore } from './idempotency/store.ts';
import type { RequestSource } from './incoming.ts';
import { type CompiledOperation, type ContractOperation, compileOperations } from './operations.ts';
import { Problem } from './problems/problem.ts';
import type { ErrorBodyOf, Refuse } from './reply/refusal/form.ts';
import { createRefusal } from './reply/refusal/refusals.ts';
import type { WireReply } from './reply/replies.ts';
import type { Reply } from './reply/reply.ts';
import { isStreamed } from './reply/streams.ts';
import { NotWritten, stub } from './reply/stub.ts';
import type { RequestTrace } from './request-trace.ts';
import { type KnownHead, requestIn } from './request-validator.ts';
import { answerOtherMethod } from './routing/other-methods.ts';
import type { RoutedOperation } from './routing/router.ts';
import { pathAsSent } from './routing/target.ts';
import type { Authenticators, Principal } from './security.ts';

/** What a contract is created from. */
export interface ContractOptions extends UnknownRules {
  readonly document: Document;
  readonly handlers: AnyHandlers;
  readonly authenticators: Authenticators;
  readonly maxBodyBytes: number;
  /** Whether every reply is validated before it is sent: outside production. */
  readonly checkReplies?: boolean;
  /** Gets the members of replies that are not sent: outside production. */
  readonly reportDropped?: ReportDropped | undefined;
  /** Whether stubs answer with the examples of the contract: outside production. */
  readonly answerStubs?: boolean;
  /** The owner's own error bodies, used wherever the contract allows them. */
  readonly errorBody?: ErrorBodyOf;
  /** Where replies to requests with an `Idempotency-Key` are kept: in memory if not given; `false` leaves the key to the handlers. */
  readonly idempotency?: IdempotencyStore | false | undefined;
  /** Turns an error of a handler into a Problem, if it knows one; returns any other error as it is. */
  readonly explain?: (error: unknown) => unknown;
}

/** What the contract finds out about a request, for logs and metrics; whatever is known by the time it ends. */
export interface RequestContext extends RequestSource {
  operation?: string | undefined;
  principal?: Principal | undefined;
  /** Makes the reply if the request is refused: as its operation declares, or else in the general shape. */
  refuse?: Refuse | undefined;
  /** The body of a reply of 4xx or 5xx that a handler made. */
  errorBody?: unknown;
  /** The memory of the request. Whoever sends the reply releases it afterwards. */
  readonly share: Share;
  /** Follows the request, if it is traced. */
  readonly trace?: RequestTrace | undefined;
}

/**
 * Serves a request by the contract: match, authenticate, read, validate, handle, reply. Gives `undefined` for a path that
 * the contract does not have; throws a Problem for a request that it refuses. Fills in the context on the way.
 */
export type Contract = (request: Request, context: RequestContext) => Promise<WireReply> | undefined;

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
export const createContract = async (options: ContractOptions): Promise<Contract> => {
  const { document, handlers, authenticators, maxBodyBytes, errorBody, explain = (error) => error } = options;
  const idempotency = options.idempotency ?? createMemoryStore();
  const backend = createBackend(document, options);
  const { router, validator, bodyOf } = backend;
  checkHandlers(router.getOperations(), handlers);
  const operations = compileOperations(backend, {
    checkReplies: options.checkReplies ?? false,
    reportDropped: options.reportDropped,
    errorBody,
    // Loaded on demand: a service in production never needs it.
    createExamples: options.answerStubs
      ? (await import('./examples/replies.ts')).createExampleReplies
      : undefined,
  });
  const refuse = createRefusal(document, errorBody);
  const authenticationFor = createAuthentication(document, authenticators);

  const bind = ({ operation, refuse: refuseAsDeclared, toDeclared, compile }: ContractOperation) => {
    const { operationId, path, method } = operation;
    const handler = handlers[operationId] ?? stub;
    const settings = bodySettingsOf(handler);
    const operationAt = pointerTo('paths', path, method);
    const limit = bodyLimitOf(valueAt(backend.document, operationAt), settings, maxBodyBytes);
    const handle: (request: never) => Promise<Reply | undefined> =
      typeof handler === 'function' ? handler : handler.handle;
    // A body that is still to arrive cannot be compared with another.
    const keys = settings.streams ? false : idempotency;
    const authenticate = authenticationFor(operation.security ?? []);
    const { receive, open } = bodyOf(operation);
    const validate = (head: KnownHead, body: ExactValue | undefined): never =>
      requestIn(validator.validateRequest(head, operation, body));
    const takeBody = (request: Request, head: KnownHead, context: RequestContext) =>
      settings.streams
        ? open(request, {
            limit,
            wholeLimit: maxBodyBytes,
            share: context.share,
            finish: (form) =>
              requestIn<{ readonly body: unknown }>(validator.validateRequest(head, operation, form)).body,
          })
        : receive(request, limit, context.share);
    const write = (
      { encode, condition }: CompiledOperation,
      made: Reply | undefined,
      head: KnownHead,
      context: RequestContext,
    ): WireReply => {
      if (!made) throw new Error(`the handler of ${operationId} gives no reply`);
      if (made.status >= 400) context.errorBody = made.body;
      const reply = encode(made);
      return condition ? condition(reply, head) : reply;
    };
    const writeExample = ({ example, condition }: CompiledOperation, head: KnownHead): WireReply => {
      const reply = example((mediaTypes) => head.request?.accepts(mediaTypes) ?? false);
      return condition ? condition(reply, head) : reply;
    };
    /** Has no variable for the decoded request, so that it can be collected while the handler waits. */
    const validateAndHandle = (
      head: KnownHead,
      body: ExactValue | undefined,
      trace: RequestTrace | undefined,
    ) => (trace ? trace.handle(() => handle(validate(head, body))) : handle(validate(head, body)));
    return async (request: Request, head: KnownHead, context: RequestContext): Promise<WireReply> => {
      context.refuse = refuseAsDeclared;
      const { share, trace } = context;
      const verdict = authenticate(head);
      context.principal = verdict instanceof Promise ? await verdict : verdict; // see andThen
      share.release(); // the bytes that have arrived so far: the reader counts them again
      try {
        const compiled = compile();
        if (compiled.isKeyed && keyIn(head) !== undefined && keys) {
          const body = await receive(request, limit, share);
          const keyed = { head, body, operationId, caller: context.principal?.name };
          return await serveOnce(keys, keyed, async () =>
            write(compiled, await validateAndHandle(head, body, trace), head, context),
          );
        }
        const made = await validateAndHandle(head, await takeBody(request, head, context), trace);
        const reply = write(compiled, made, head, context);
        if (request.upload && !isStreamed(reply.payload)) closeUpload(request);
        return reply;
      } catch (error) {
        const reason = request.upload?.errored; // whatever the handler makes of it
        if (request.upload) closeUpload(request);
        if (options.answerStubs && error instanceof NotWritten) return writeExample(compile(), head);
        throw toDeclared(explain(reason instanceof Problem ? reason : error));
      }
    };
  };

  const served = new Map(operations.map((each) => [each.operation, bind(each)]));
  return (request, context) => {
    context.refuse = refuse;
    const { method, url: path, headers } = request;
    const head: KnownHead = { method, path, headers, params: {}, request, context };
    const operation = router.matchOperation(head);
    context.operation = operation?.operationId;
    const serve = operation && served.get(operation);
    if (serve) {
      context.trace?.matched(operation.route);
      return serve(request, head, context);
    }
    const methods = router.methodsAt(path);
    if (methods.length === 0) return undefined;
    return Promise.resolve(answerOtherMethod(method, pathAsSent(request.originalUrl) || '/', methods));
  };
};
