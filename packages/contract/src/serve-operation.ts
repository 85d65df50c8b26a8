import type { Requirements } from '@trellis/openapi/internal/document';
import { type ExactValue, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import type { Operation } from 'openapi-backend';
import type { Backend } from './backend.ts';
import { bodyLimitOf, bodySettingsOf } from './body/limits.ts';
import type { AnyHandlers } from './handler.ts';
import { keyIn, serveOnce } from './idempotency/serve-once.ts';
import type { IdempotencyStore } from './idempotency/store.ts';
import type { CompiledOperation, ContractOperation } from './operations.ts';
import { Problem } from './problems/problem.ts';
import type { WireReply } from './reply/replies.ts';
import type { Reply } from './reply/reply.ts';
import { isStreamed } from './reply/streams.ts';
import { NotWritten } from './reply/stub.ts';
import { closeUpload, type Exchange } from './request/exchange.ts';
import type { IncomingHead } from './request/incoming.ts';
import { requestIn } from './request/validator.ts';
import type { Authenticated } from './security/security.ts';

/** How handlers are called. */
export interface ServingOptions {
  readonly maxBodyBytes: number;
  /** Whether stubs answer with the examples of the contract: outside production. */
  readonly answerStubs?: boolean;
  /** Where replies to requests with an `Idempotency-Key` are kept: in memory if not given; `false` leaves the key to the handlers. */
  readonly idempotency?: IdempotencyStore | false | undefined;
  /** Converts an error of a handler to a Problem, if possible; returns any other error unchanged. */
  readonly explain?: (error: unknown) => unknown;
}

/** How all operations of a contract are served. */
interface ServingRules extends Required<ServingOptions> {
  readonly backend: Backend;
  readonly authenticationFor: (requirements: Requirements) => (head: IncomingHead) => Authenticated;
  readonly idempotency: IdempotencyStore | false;
}

/** Serves a request of one operation. */
export type ServeOperation = (head: IncomingHead, exchange: Exchange) => Promise<WireReply>;

/** Returns the function of a handler. */
const handleOf = (handler: AnyHandlers[string]): ((request: never) => Promise<Reply | undefined>) =>
  typeof handler === 'function' ? handler : handler.handle;

/** Compiles how the body of an operation is opened, to be read by the handler while it arrives. */
const compileOpening = ({ backend, maxBodyBytes }: ServingRules, operation: Operation, limit: number) => {
  const { open } = backend.bodyOf(operation);
  return (head: IncomingHead, exchange: Exchange) =>
    open(exchange, {
      limit,
      wholeLimit: maxBodyBytes,
      finish: (form) =>
        requestIn<{ readonly body: unknown }>(backend.validator.validateRequest(head, operation, form)).body,
    });
};

/** Writes the reply that a handler made. */
const writeReply = (
  { encode, condition }: CompiledOperation,
  made: Reply | undefined,
  head: IncomingHead,
  exchange: Exchange,
): WireReply => {
  if (!made) throw new Error(`the handler of ${exchange.operation} gives no reply`);
  if (made.status >= 400) exchange.errorBody = made.body;
  const reply = encode(made);
  return condition ? condition(reply, head) : reply;
};

/** Writes the reply of a stub: the example of the contract. */
const writeExample = (
  { example, condition }: CompiledOperation,
  head: IncomingHead,
  exchange: Exchange,
): WireReply => {
  const reply = example((mediaTypes) => exchange.accepts(mediaTypes));
  return condition ? condition(reply, head) : reply;
};

/** Compiles how an operation is served: authenticate, read, validate, handle, reply. */
export const compileServing = (
  rules: ServingRules,
  declared: ContractOperation,
  handler: AnyHandlers[string],
): ServeOperation => {
  const { operation, refuse, toDeclared, compile } = declared;
  const settings = bodySettingsOf(handler);
  const handle = handleOf(handler);
  const authenticate = rules.authenticationFor(operation.security ?? []);
  const { backend, maxBodyBytes } = rules;
  const declaration = valueAt(backend.document, pointerTo('paths', operation.path, operation.method));
  const limit = bodyLimitOf(declaration, settings, maxBodyBytes);
  const { receive } = backend.bodyOf(operation);
  const read = settings.streams
    ? compileOpening(rules, operation, limit)
    : (_head: IncomingHead, exchange: Exchange) => receive(exchange, limit);
  // A body that is still to arrive cannot be compared with another.
  const keys = settings.streams ? false : rules.idempotency;

  /** Has no variable for the decoded request, so that it can be collected while the handler waits. */
  const validateAndHandle = (head: IncomingHead, body: ExactValue | undefined, { trace }: Exchange) =>
    trace
      ? trace.handle(() => handle(requestIn(backend.validator.validateRequest(head, operation, body))))
      : handle(requestIn(backend.validator.validateRequest(head, operation, body)));

  const answer = async (head: IncomingHead, exchange: Exchange): Promise<WireReply> => {
    const compiled = compile();
    if (compiled.isKeyed && keyIn(head) !== undefined && keys) {
      const body = await receive(exchange, limit);
      const keyed = { head, body, operationId: operation.operationId, caller: exchange.principal?.name };
      return serveOnce(keys, keyed, async () =>
        writeReply(compiled, await validateAndHandle(head, body, exchange), head, exchange),
      );
    }
    const made = await validateAndHandle(head, await read(head, exchange), exchange);
    const reply = writeReply(compiled, made, head, exchange);
    if (exchange.upload && !isStreamed(reply.payload)) closeUpload(exchange);
    return reply;
  };

  return async (head, exchange) => {
    exchange.refuse = refuse;
    const authenticated = authenticate(head);
    exchange.principal = authenticated instanceof Promise ? await authenticated : authenticated; // see andThen
    exchange.share.release(); // the bytes that have arrived so far: the reader counts them again
    try {
      return await answer(head, exchange);
    } catch (error) {
      const reason = exchange.upload?.errored; // takes precedence over the error of the handler
      closeUpload(exchange);
      if (rules.answerStubs && error instanceof NotWritten) return writeExample(compile(), head, exchange);
      throw toDeclared(rules.explain(reason instanceof Problem ? reason : error));
    }
  };
};
