import { type Document, OpenAPIBackend, type Operation } from 'openapi-backend';
import { createBodyDecoder, type DecodeBytes } from './body/decoders.ts';
import { createMediaTypes, type Kind, kindOf } from './body/media-types.ts';
import { createValueDecoder } from './codec/decode.ts';
import { createReplyEncoder } from './codec/encode.ts';
import { withPointers } from './document/anchors.ts';
import { operationIdOf } from './document/operation-id.ts';
import { outlineOf } from './document/outline.ts';
import { createInquiry, type Inquiry, recallBy } from './json/inquiry.ts';
import { once } from './json/once.ts';
import { followRefs, isTree, ownMember, pointerTo, uriFragment, valueAt } from './json/pointer.ts';
import { createParameters } from './parameters/parameters.ts';
import { createReplies } from './reply/replies.ts';
import { type BodyRule, createRequestDecoder, type RequestRules } from './request-decoder.ts';
import { type CompileAccepts, lazily } from './schema/branches.ts';
import { createJudges } from './validation/judge.ts';

/** One operation of the document, ready to serve: looked up, inherited and compiled once. */
export interface ContractOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly takesBody: boolean;
  readonly bodyRequired: boolean;
  /** The declared media type that a Content-Type means; throws 415 for any other. */
  readonly mediaTypeOf: (contentType: string) => string;
  /** How a body of each declared media type is parsed. */
  readonly parsers: ReadonlyMap<string, DecodeBytes>;
  /** Its schemas, compiled when first asked for: a start does not wait for a thousand of them. */
  readonly compile: () => CompiledOperation;
}

/** How an operation reads its requests and writes its replies. */
export interface CompiledOperation {
  readonly decode: ReturnType<typeof createRequestDecoder>;
  readonly encode: ReturnType<ReturnType<typeof createReplies>>;
}

const NAME = 'contract';

/** The URI of a place in the document. */
const refTo = (pointer: string): string => NAME + uriFragment(pointer);

/** Handlers go by these names. */
const checkNames = (operations: readonly Operation[]): void => {
  const named = new Map<string, Operation>();
  const titleOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`;
  for (const operation of operations) {
    const id = operationIdOf(operation);
    const other = named.get(id);
    if (other)
      throw new Error(
        `openapi.yaml: ${titleOf(other)} and ${titleOf(operation)} are both called ${id}; give one of them another operationId`,
      );
    named.set(id, operation);
  }
};

/** Makes a value for each key, on first use. */
const memoize = <Key, T>(make: (key: Key) => T): ((key: Key) => T) => {
  const made = new Map<Key, T>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
};

/**
 * openapi-backend reads the document, flattens its operations and builds their validators. What it would get
 * wrong, or do again for every request, is set right here and nowhere else:
 *
 * - `quick`: its document check knows OpenAPI 3.0 only and refuses 3.1. `npm run generate` checks 3.1.
 * - `customizeAjv`: its Ajv is draft-07, made anew for every operation, and rounds int64. Ours is 2020-12, one
 *   for the document, and exact.
 * - It dereferences the whole document, and cannot where a pointer holds `~1`. It is given an outline without references.
 * - Its dereferenced copies drop the siblings of `$ref`. Its validators are given a `$ref` into the document.
 * - Its router rebuilds every route for every request, its `handleRequest` parses each request three times.
 *   Operations are taken from it once; matching is a look-up (routes.ts).
 * - Parameters of a path override those of the operation, reach handlers as texts, and `0x10` passes for an
 *   integer. They are read by their styles and types in parameters/; its validators are asked about the result.
 * - It knows no media type but JSON. See body/decoders.ts.
 * - Its security lets any truthy value in and turns an outage into a 401. See security.ts.
 */
export const createEngine = async (
  contract: Document,
  { checkReplies }: { checkReplies: boolean },
): Promise<ContractOperation[]> => {
  const document = withPointers(contract);
  const requests = createJudges(document, NAME, 'request');
  const replies = createJudges(document, NAME, 'reply');
  const api = new OpenAPIBackend({
    definition: outlineOf(contract, document),
    quick: true,
    strict: true,
    customizeAjv: requests.ajv,
  });
  await api.init();

  const repliesAt = createReplies(document, {
    encoderAt: createReplyEncoder(document),
    judgeAt: memoize((pointer: string) =>
      replies.judgeFor({ properties: { body: { $ref: refTo(pointer) } } }),
    ),
    checked: checkReplies,
  });
  const compileAccepts: CompileAccepts = (pointer) => {
    const validate = requests.ajv().compile({ $ref: refTo(pointer) });
    const accepts = (inquiry: Inquiry, value: unknown): boolean => {
      const isAccepted = validate.call(inquiry, value);
      validate.errors = null;
      return isAccepted;
    };
    return (value, exact, inquiry) => {
      if (!inquiry || !isTree(value)) return accepts(createInquiry(value, exact), value);
      inquiry.verdicts ??= new Map();
      const known = recallBy(inquiry.verdicts, accepts);
      const verdict = known.get(value) ?? accepts(inquiry, value);
      known.set(value, verdict);
      return verdict;
    };
  };
  const acceptsAt = memoize(lazily(compileAccepts));
  const findParameters = createParameters(document, acceptsAt);
  const compileValueDecoder = createValueDecoder(document, compileAccepts);

  /** A range says nothing of what was sent; a media type says it all. */
  const compileParser = (mediaType: string, schemaAt: string): DecodeBytes => {
    const parserOf = memoize((kind: Kind) => createBodyDecoder(document, kind, schemaAt, acceptsAt));
    if (!mediaType.includes('*')) return parserOf(kindOf(mediaType));
    return (bytes, contentType) => parserOf(kindOf(contentType))(bytes, contentType);
  };

  /** Asks the schema of a body (if there is one to ask about), and those of the parameters. */
  const buildJudges = (operation: Operation, parameters: RequestRules['parameters'], bodyAt?: string) => {
    const validators =
      api.validator.buildRequestValidatorsForOperation({
        ...operation,
        operationId: operationIdOf(operation),
        parameters: parameters.map(({ name, place, required, schemaAt }) => ({
          name,
          in: place,
          required,
          schema: { $ref: refTo(schemaAt) },
        })),
        requestBody: {
          required: true,
          content: bodyAt === undefined ? {} : { 'application/json': { schema: { $ref: refTo(bodyAt) } } },
        },
      }) ?? [];
    const ofParameters = validators.at(-1);
    if (!ofParameters)
      throw new Error(`openapi.yaml: ${operation.method} ${operation.path} has no validator`);
    const [ofBody] = validators.slice(0, -1);
    return { ofBody: ofBody && requests.judgeBy(ofBody), ofParameters: requests.judgeBy(ofParameters) };
  };

  const compileBody = (operation: Operation, contentAt: string, mediaType: string): BodyRule => {
    const schemaAt = contentAt + pointerTo(mediaType, 'schema');
    const isOpen = valueAt(document, schemaAt) === undefined;
    return {
      judge: isOpen ? undefined : buildJudges(operation, [], schemaAt).ofBody,
      decodeValue: compileValueDecoder(schemaAt),
    };
  };

  const isRequired = (bodyAt: string): boolean => ownMember(valueAt(document, bodyAt), 'required') === true;

  const compileDecoder = (operation: Operation, bodyAt: string) => {
    const { method, path } = operation;
    const contentAt = bodyAt + pointerTo('content');
    const mediaTypes = Object.keys(valueAt(document, contentAt) ?? {});
    const parameters = findParameters(path, method).map((parameter) => ({
      ...parameter,
      decodeValue: compileValueDecoder(parameter.schemaAt),
    }));
    return createRequestDecoder({
      parameters,
      judgeParameters: buildJudges(operation, parameters).ofParameters,
      bodies: new Map(mediaTypes.map((type) => [type, compileBody(operation, contentAt, type)])),
      bodyRequired: isRequired(bodyAt),
    });
  };

  const operations = api.getOperations();
  checkNames(operations);
  return operations.map((operation) => {
    const { method, path, security = [] } = operation;
    const bodyAt = followRefs(document, pointerTo('paths', path, method, 'requestBody'));
    const mediaTypes = Object.keys(valueAt(document, bodyAt + pointerTo('content')) ?? {});
    return {
      id: operationIdOf(operation),
      method: method.toUpperCase(),
      path,
      security,
      takesBody: mediaTypes.length > 0,
      bodyRequired: isRequired(bodyAt),
      mediaTypeOf: createMediaTypes(mediaTypes),
      parsers: new Map(
        mediaTypes.map((type) => [type, compileParser(type, bodyAt + pointerTo('content', type, 'schema'))]),
      ),
      compile: once(() => ({
        decode: compileDecoder(operation, bodyAt),
        encode: repliesAt(followRefs(document, pointerTo('paths', path, method, 'responses'))),
      })),
    };
  });
};
