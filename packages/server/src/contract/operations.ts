import { checkOperationIds, operationIdOf, outlineOf, withPointers } from '@trellis/openapi/document';
import { followRefs, once, oncePerKey, pointerTo, valueAt } from '@trellis/openapi/json';
import { type Document, OpenAPIBackend, type Operation } from 'openapi-backend';
import { type BodyReceiver, createBodyReceiver } from './body/receive.ts';
import { createValueDecoder } from './codec/decode.ts';
import { createReplyEncoder } from './codec/encode.ts';
import type { createExampleReplies, ExampleReply } from './examples/replies.ts';
import { createParameters } from './parameters/parameters.ts';
import type { ErrorBodyOf, Refuse } from './reply/refusal/form.ts';
import { createRefusals } from './reply/refusal/refusals.ts';
import { createReplies } from './reply/replies.ts';
import { createRequestDecoder } from './request-decoder.ts';
import { createRequestValidators } from './request-validators.ts';
import { createAccepts } from './validation/accepts.ts';
import { schemaRef } from './validation/ajv.ts';
import { createValidators } from './validation/validators.ts';

/** One operation of the document, ready to serve. */
export interface ContractOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly takesBody: boolean;
  readonly body: BodyReceiver;
  /** Makes the replies to requests of it that are refused. */
  readonly refuse: Refuse;
  /** Compiles its schemas on first use, so that the start does not wait for a thousand operations. */
  readonly compile: () => CompiledOperation;
}

/** How an operation decodes its requests and encodes its replies. */
export interface CompiledOperation {
  readonly decode: ReturnType<typeof createRequestDecoder>;
  readonly encode: ReturnType<ReturnType<typeof createReplies>>;
  /** What its stub replies, where stubs answer. */
  readonly example: ExampleReply;
}

const noExample: ExampleReply = () => {
  throw new Error('stubs do not answer here');
};

/** How operations are compiled. */
export interface CompileOptions {
  readonly checkReplies: boolean;
  /** The body of an error reply, by the owner of the contract. */
  readonly errorBody?: ErrorBodyOf | undefined;
  /** How the replies of stubs are made; none if stubs do not answer. */
  readonly createExamples?: typeof createExampleReplies | undefined;
}

/**
 * Compiles all operations of a document. openapi-backend reads the document, flattens its operations and builds their
 * validators. What it gets wrong, or would do again for every request, is set right here and nowhere else:
 *
 * - `quick`: its document check knows OpenAPI 3.0 only and refuses 3.1. `npm run generate` checks 3.1.
 * - `getAjv`: its Ajv is draft-07, made anew for every operation, and rounds int64. Ours is 2020-12, one for the document,
 *   and exact. `customizeAjv` would make its own first and throw it away, which takes a millisecond for each operation.
 * - It dereferences the whole document, and fails where a pointer holds `~1`. It gets an outline without references.
 * - Its dereferenced copies drop the siblings of `$ref`. Its validators get a `$ref` into the document instead.
 * - Its router rebuilds every route for every request, and its `handleRequest` parses each request three times. We take
 *   the operations from it once; routes.ts looks them up.
 * - It lets parameters of a path override those of the operation, hands them on as texts, and accepts `0x10` as an
 *   integer. parameters/ reads them by style and type; its validators validate the outcome.
 * - It knows no media type but JSON. body/ knows the others.
 * - Its security accepts any truthy value and turns an outage into a 401. security.ts replaces it.
 */
export const compileOperations = async (
  contract: Document,
  { checkReplies, errorBody, createExamples }: CompileOptions,
): Promise<ContractOperation[]> => {
  const document = withPointers(contract);
  const requests = createValidators(document, 'request');
  const replies = createValidators(document, 'reply');
  const api = new OpenAPIBackend({
    definition: outlineOf(contract, document),
    quick: true,
    strict: true,
  });
  await api.init();
  api.validator.getAjv = requests.ajv;

  const acceptsAt = createAccepts(requests.ajv);
  const parametersOf = createParameters(document, acceptsAt);
  const decoderAt = createValueDecoder(document, acceptsAt);
  const validators = createRequestValidators(api, requests);
  const encoderAt = createReplyEncoder(document);
  const validatorAt = oncePerKey((pointer: string) =>
    replies.compile({ properties: { body: schemaRef(pointer) } }),
  );
  const repliesAt = createReplies(document, { encoderAt, validatorAt, checked: checkReplies });
  const exampleFor = createExamples?.({
    document,
    encoderAt,
    validatorAt,
    acceptsAt: createAccepts(replies.ajv),
  });
  const { refuseAt } = createRefusals(document, { validatorAt, errorBody });

  const compileDecoder = (operation: Operation, bodyAt: string, body: BodyReceiver) => {
    const parameters = parametersOf(operation.path, operation.method);
    const compileBody = (mediaType: string) => {
      const schemaAt = bodyAt + pointerTo('content', mediaType, 'schema');
      const hasSchema = valueAt(document, schemaAt) !== undefined;
      return {
        validate: hasSchema ? validators.ofBody(operation, schemaAt) : undefined,
        decode: decoderAt(schemaAt),
      };
    };
    return createRequestDecoder({
      parameters: parameters.map((each) => ({ ...each, decode: decoderAt(each.schemaAt) })),
      validateParameters: validators.ofParameters(operation, parameters),
      bodies: new Map(body.mediaTypes.map((mediaType) => [mediaType, compileBody(mediaType)])),
      mediaTypeOf: body.mediaTypeOf,
      bodyRequired: body.isRequired,
    });
  };

  const operations = api.getOperations();
  checkOperationIds(operations);
  return operations.map((operation) => {
    const { method, path, security = [] } = operation;
    const bodyAt = followRefs(document, pointerTo('paths', path, method, 'requestBody'));
    const responsesAt = followRefs(document, pointerTo('paths', path, method, 'responses'));
    const body = createBodyReceiver(document, bodyAt, acceptsAt);
    const id = operationIdOf(operation);
    return {
      id,
      method: method.toUpperCase(),
      path,
      security,
      takesBody: body.mediaTypes.length > 0,
      body,
      refuse: refuseAt(responsesAt),
      compile: once(() => {
        const encode = repliesAt(responsesAt);
        return {
          decode: compileDecoder(operation, bodyAt, body),
          encode,
          example: exampleFor?.({ id, method, path, write: (reply) => encode(reply, false) }) ?? noExample,
        };
      }),
    };
  });
};
