import {
  type ExactValue,
  followRefs,
  once,
  oncePerKey,
  pointerTo,
  valueAt,
} from '@trellis/openapi/internal/json';
import type { Backend } from './backend.ts';
import { bodyLimitOf, bodySettingsOf } from './body/limits.ts';
import { createReplyEncoder } from './codec/encode.ts';
import { compileCondition } from './conditional/conditional-replies.ts';
import type { ContractRules } from './contract-rules.ts';
import type { createExampleReplies } from './examples/replies.ts';
import type { AnyHandlers } from './handler.ts';
import { isKeyed, keyIn, serveOnce } from './idempotency/serve-once.ts';
import { createMemoryStore } from './idempotency/store.ts';
import { createDeclaredError, Problem } from './problems/problem.ts';
import { createRefusals } from './reply/refusal/refusals.ts';
import { createReplies, isStreamed, type WireReply } from './reply/replies.ts';
import type { Reply } from './reply/reply.ts';
import { NotWritten } from './reply/stub.ts';
import { closeUpload, type Exchange } from './request/exchange.ts';
import type { IncomingHead } from './request/incoming.ts';
import { requestIn } from './request/validator.ts';
import type { RoutedOperation } from './routing/router.ts';
import { createAuthentication } from './security/authentication.ts';
import { createValidators } from './validation/validators.ts';

/** Serves a request of one operation. */
export type ServeOperation = (head: IncomingHead, exchange: Exchange) => Promise<WireReply>;

const NOT_SENT = 'not sent: a reply has a member that its schema does not declare for replies';

/** Compiles how the operations of a contract reply. Stubs answer if `createExamples` is given. */
const createReplying = (
  { document, validator }: Backend,
  { checkReplies = false, errorBody, warn }: ContractRules,
  createExamples?: typeof createExampleReplies,
) => {
  const { validatorAt: createValidatorAt, acceptsAt } = createValidators(document, 'reply');
  const reportDropped = (schema: string, member: string): void => warn?.({ schema, member }, NOT_SENT);
  const encoderAt = createReplyEncoder(document, checkReplies && warn ? reportDropped : undefined);
  const validatorAt = oncePerKey((pointer: string) => createValidatorAt(pointer));
  const repliesAt = createReplies(document, { encoderAt, validatorAt, checked: checkReplies });
  const exampleFor = createExamples?.({ document, encoderAt, validatorAt, acceptsAt });
  const refuseAt = createRefusals(document, { validatorAt, errorBody, warn });

  return (operation: RoutedOperation) => {
    const { operationId: id, method, path } = operation;
    const responsesAt = followRefs(document, pointerTo('paths', path, method, 'responses'));
    return {
      refuse: refuseAt(responsesAt, id),
      toDeclared: createDeclaredError(valueAt(document, responsesAt)),
      /** Compiles its schemas on first use, so that the start does not wait for a thousand operations. */
      compile: once(() => {
        const parameters = validator.rulesFor(operation).headerParameters.map(({ name }) => name);
        const encode = repliesAt(responsesAt);
        const condition = compileCondition(document, { method, responsesAt, parameters });
        const example = exampleFor?.({ id, method, path, write: (reply) => encode(reply, false) });
        return {
          /** Whether a request that has an `Idempotency-Key` is served once. */
          isKeyed: isKeyed(method, parameters),
          writeReply(made: Reply | undefined, head: IncomingHead, exchange: Exchange): WireReply {
            if (!made) throw new Error(`the handler of ${id} gives no reply`);
            if (made.status >= 400) exchange.errorBody = made.body;
            const reply = encode(made);
            return condition ? condition(reply, head) : reply;
          },
          /** Writes the reply of a stub, if stubs answer: the example of the contract. */
          writeExample:
            example &&
            ((head: IncomingHead, exchange: Exchange) => {
              const reply = example((mediaTypes) => exchange.accepts(mediaTypes));
              return condition ? condition(reply, head) : reply;
            }),
        };
      }),
    };
  };
};

/** Compiles how an operation reads its body: as a whole, or opened for the handler to read while it arrives. */
const compileReading = (
  { validator, bodyOf }: Backend,
  operation: RoutedOperation,
  limit: number,
  wholeLimit: number,
) => {
  const { receive, open } = bodyOf(operation);
  return {
    receive: (exchange: Exchange) => receive(exchange, limit),
    open: (exchange: Exchange, head: IncomingHead) => {
      const finish = (form: ExactValue): unknown =>
        requestIn<{ readonly body: unknown }>(validator.validateRequest(head, operation, form)).body;
      return open(exchange, { limit, wholeLimit, finish });
    },
  };
};

/** Compiles how operations are served: authenticate, read, validate, handle, reply. */
export const createServing = (
  backend: Backend,
  rules: ContractRules,
  createExamples?: typeof createExampleReplies,
) => {
  const { document, validator } = backend;
  const { maxBodyBytes, explain = (error) => error, idempotency = createMemoryStore() } = rules;
  const authenticationFor = createAuthentication(document, rules.authenticators);
  const replyingFor = createReplying(backend, rules, createExamples);

  return (operation: RoutedOperation, handler: AnyHandlers[string]): ServeOperation => {
    const { refuse, toDeclared, compile } = replyingFor(operation);
    const settings = bodySettingsOf(handler);
    const handle: (request: never) => Promise<Reply | undefined> =
      typeof handler === 'function' ? handler : handler.handle;
    const authenticate = authenticationFor(operation.security ?? []);
    const declaration = valueAt(document, pointerTo('paths', operation.path, operation.method));
    const limit = bodyLimitOf(declaration, settings, maxBodyBytes);
    const { receive, open } = compileReading(backend, operation, limit, maxBodyBytes);
    const read = settings.streams ? open : receive;
    // A body that is still to arrive cannot be compared with another.
    const keys = settings.streams ? false : idempotency;
    /** Has no variable for the decoded request, so that it can be collected while the handler waits. */
    const validateAndHandle = (head: IncomingHead, body: ExactValue | undefined, { trace }: Exchange) =>
      trace
        ? trace.handle(() => handle(requestIn(validator.validateRequest(head, operation, body))))
        : handle(requestIn(validator.validateRequest(head, operation, body)));

    const answer = async (head: IncomingHead, exchange: Exchange): Promise<WireReply> => {
      const { isKeyed, writeReply } = compile();
      if (isKeyed && keyIn(head) !== undefined && keys) {
        const body = await receive(exchange);
        const keyed = { head, body, operationId: operation.operationId, caller: exchange.principal?.name };
        return serveOnce(keys, keyed, async () =>
          writeReply(await validateAndHandle(head, body, exchange), head, exchange),
        );
      }
      const made = await validateAndHandle(head, await read(exchange, head), exchange);
      const reply = writeReply(made, head, exchange);
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
        const { writeExample } = error instanceof NotWritten ? compile() : {};
        if (writeExample) return writeExample(head, exchange);
        throw toDeclared(explain(reason instanceof Problem ? reason : error));
      }
    };
  };
};
