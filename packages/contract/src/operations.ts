import { followRefs, once, oncePerKey, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import type { Backend } from './backend.ts';
import { createReplyEncoder } from './codec/encode.ts';
import { type Condition, compileCondition } from './conditional/conditional-replies.ts';
import type { createExampleReplies, ExampleReply } from './examples/replies.ts';
import { isKeyed } from './idempotency/serve-once.ts';
import { createDeclaredError } from './problems/problem.ts';
import type { ErrorBodyOf } from './reply/refusal/error-forms.ts';
import { createRefusals, type Refuse, type Warn } from './reply/refusal/refusals.ts';
import { createReplies } from './reply/replies.ts';
import type { RoutedOperation } from './routing/router.ts';
import { createValidators } from './validation/validators.ts';

/** How an operation replies. */
export interface ContractOperation {
  readonly operation: RoutedOperation;
  /** Makes the replies to requests of it that are refused. */
  readonly refuse: Refuse;
  /** Converts an error to the error that the operation answers with, by the statuses that it declares. */
  readonly toDeclared: (error: unknown) => unknown;
  /** Compiles its schemas on first use, so that the start does not wait for a thousand operations. */
  readonly compile: () => CompiledOperation;
}

/** How an operation encodes its replies. */
export interface CompiledOperation {
  readonly encode: ReturnType<ReturnType<typeof createReplies>>;
  /** How its replies obey preconditions and ranges, if it declares any. */
  readonly condition: Condition | undefined;
  /** Whether a request that has an `Idempotency-Key` is served once. */
  readonly isKeyed: boolean;
  /** The reply of its stub, if stubs answer. */
  readonly example: ExampleReply;
}

const noExample: ExampleReply = () => {
  throw new Error('stubs do not answer here');
};

/** How replies are made and checked. */
export interface ReplyOptions {
  /** Whether every reply is validated before it is sent, and members that are not sent are reported: outside production. */
  readonly checkReplies?: boolean;
  /** The owner's error bodies, used wherever the contract allows them. */
  readonly errorBody?: ErrorBodyOf;
  /** Called once with each fault of the service's replies. */
  readonly warn?: Warn | undefined;
}

const NOT_SENT = 'not sent: a reply has a member that its schema does not declare for replies';

/**
 * Compiles how all operations reply. openapi-backend has no part in it; requests are the router's and the validator's.
 * Stubs answer if `createExamples` is given.
 */
export const compileOperations = (
  { document, router, validator }: Backend,
  { checkReplies = false, errorBody, warn }: ReplyOptions,
  createExamples?: typeof createExampleReplies,
): ContractOperation[] => {
  const { validatorAt: createValidatorAt, acceptsAt } = createValidators(document, 'reply');
  const reportDropped = (schema: string, member: string): void => warn?.({ schema, member }, NOT_SENT);
  const encoderAt = createReplyEncoder(document, checkReplies && warn ? reportDropped : undefined);
  const validatorAt = oncePerKey((pointer: string) => createValidatorAt(pointer));
  const repliesAt = createReplies(document, { encoderAt, validatorAt, checked: checkReplies });
  const exampleFor = createExamples?.({ document, encoderAt, validatorAt, acceptsAt });
  const refuseAt = createRefusals(document, { validatorAt, errorBody, warn });

  return router.getOperations().map((operation) => {
    const { operationId: id, method, path } = operation;
    const responsesAt = followRefs(document, pointerTo('paths', path, method, 'responses'));
    return {
      operation,
      refuse: refuseAt(responsesAt, id),
      toDeclared: createDeclaredError(valueAt(document, responsesAt)),
      compile: once(() => {
        const { headerParameters } = validator.rulesFor(operation);
        const parameters = headerParameters.map(({ name }) => name);
        const encode = repliesAt(responsesAt);
        return {
          encode,
          isKeyed: isKeyed(method, parameters),
          condition: compileCondition(document, { method, responsesAt, parameters }),
          example: exampleFor?.({ id, method, path, write: (reply) => encode(reply, false) }) ?? noExample,
        };
      }),
    };
  });
};
