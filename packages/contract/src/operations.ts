import { followRefs, once, oncePerKey, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import type { Backend } from './backend.ts';
import { createReplyEncoder, type ReportDropped } from './codec/encode.ts';
import { type Condition, compileCondition } from './conditional/conditional-replies.ts';
import type { createExampleReplies, ExampleReply } from './examples/replies.ts';
import { isKeyed } from './idempotency/serve-once.ts';
import { createDeclaredError } from './problems/problem.ts';
import type { ErrorBodyOf, Refuse } from './reply/refusal/form.ts';
import { createRefusals } from './reply/refusal/refusals.ts';
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

/** How operations are compiled. */
export interface CompileOptions {
  readonly checkReplies: boolean;
  /** Gets the members of replies that are not sent. */
  readonly reportDropped?: ReportDropped | undefined;
  /** The body of an error reply, by the owner of the contract. */
  readonly errorBody?: ErrorBodyOf | undefined;
  /** How the replies of stubs are made; none if stubs do not answer. */
  readonly createExamples?: typeof createExampleReplies | undefined;
}

/** Compiles how all operations reply. openapi-backend has no part in it; requests are the router's and the validator's. */
export const compileOperations = (
  { document, router, validator }: Backend,
  { checkReplies, reportDropped, errorBody, createExamples }: CompileOptions,
): ContractOperation[] => {
  const replies = createValidators(document, 'reply');
  const encoderAt = createReplyEncoder(document, reportDropped);
  const validatorAt = oncePerKey((pointer: string) => replies.validatorAt(pointer));
  const repliesAt = createReplies(document, { encoderAt, validatorAt, checked: checkReplies });
  const exampleFor = createExamples?.({
    document,
    encoderAt,
    validatorAt,
    acceptsAt: replies.acceptsAt,
  });
  const refuseAt = createRefusals(document, { validatorAt, errorBody });

  return router.getOperations().map((operation) => {
    const { operationId: id, method, path } = operation;
    const responsesAt = followRefs(document, pointerTo('paths', path, method, 'responses'));
    return {
      operation,
      refuse: refuseAt(responsesAt),
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
