import { type Document, OpenAPIBackend, type Operation } from 'openapi-backend';
import { createAjv } from './ajv.ts';
import { createInt64Decoder } from './int64-decoder.ts';
import { type Json, parseJson } from './json.ts';
import { followRefs, isTree, ownMember, pointerTo, valueAt } from './pointer.ts';
import { Problem } from './problem.ts';
import { describeErrors, listViolations } from './violations.ts';

/** One operation of the document, ready to serve: looked up, inherited and compiled once. */
export interface ContractOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly takesBody: boolean;
  /**
   * Parses, validates and decodes the body, which is a `T` if it passes: `T` is what was generated from the
   * schema. Throws a Problem that names every violation.
   */
  readonly decodeBody: <T>(bytes: Buffer | undefined) => T;
}

/** A request as openapi-backend's validators see it. */
interface Holder<T = unknown> extends Record<string, unknown> {
  requestBody: T;
}

/** Throws, or leaves in the holder what the schema describes. */
type Accept = (holder: Holder, json: Json) => void;

const NAME = 'contract';
const JSON_TYPE = 'application/json';

/** The URI of a place in the document (RFC 6901, section 6). */
const refTo = (pointer: string): string => `${NAME}#${pointer.split('/').map(encodeURIComponent).join('/')}`;

const refuse = ({ method, path }: Operation, why: string): never => {
  throw new Error(`openapi.yaml: ${method.toUpperCase()} ${path} ${why}`);
};

const createDecodeBody = (accept: Accept | undefined, required: boolean) => {
  function fill<T>(holder: Holder, bytes: Buffer | undefined): asserts holder is Holder<T> {
    if (bytes) accept?.(holder, parseJson(bytes));
    else if (required) throw new Problem('schemaMismatch', 'body is required');
  }
  return <T>(bytes: Buffer | undefined): T => {
    const holder: Holder = { requestBody: undefined };
    fill<T>(holder, bytes);
    return holder.requestBody;
  };
};

/**
 * openapi-backend reads the document, flattens its operations and builds their validators. What it would get
 * wrong, or do again for every request, is set right here and nowhere else:
 *
 * - `quick`: its document check knows OpenAPI 3.0 only and refuses 3.1. `npm run generate` checks 3.1.
 * - `customizeAjv`: its Ajv is draft-07, made anew for every operation, and rounds int64. Ours is 2020-12, one
 *   for the document, and exact.
 * - Its dereferenced copies drop the siblings of `$ref`. Its validators are given a `$ref` into the document.
 * - Its router rebuilds every route for every request, its `handleRequest` parses each request three times.
 *   Operations are taken from it once; matching is a look-up (routes.ts).
 * - Its security lets any truthy value in and turns an outage into a 401. See security.ts.
 */
export const createEngine = async (document: Document): Promise<ContractOperation[]> => {
  const ajv = createAjv(document, NAME);
  const api = new OpenAPIBackend({
    definition: document,
    quick: true,
    strict: true,
    customizeAjv: () => ajv,
  });
  await api.init();

  const compileInt64Decoder = createInt64Decoder(document, (pointer) => {
    const accepts = ajv.compile({ $ref: refTo(pointer) });
    return (value, exact) => accepts.call({ exact }, value);
  });

  const compileBody = (operation: Operation, at: string): Accept => {
    const types = Object.keys(ownMember(valueAt(document, at), 'content') ?? {});
    if (types.length !== 1 || types[0] !== JSON_TYPE)
      refuse(operation, `takes ${types}; only ${JSON_TYPE} is served`);
    const schemaAt = at + pointerTo('content', JSON_TYPE, 'schema');
    if (valueAt(document, schemaAt) === undefined) refuse(operation, 'has a body without a schema');
    const schema = { $ref: refTo(schemaAt) };
    const [validate] =
      api.validator.buildRequestValidatorsForOperation({
        ...operation,
        requestBody: { required: true, content: { [JSON_TYPE]: { schema } } },
      }) ?? [];
    if (!validate) return refuse(operation, 'has no validator');
    const decodeInt64s = compileInt64Decoder(schemaAt);

    const accept: Accept = (holder, { value, exact, unstorable }) => {
      holder.requestBody = value;
      if (!validate.call({ exact: { requestBody: exact } }, holder) || unstorable.length > 0)
        throw new Problem(
          'schemaMismatch',
          listViolations([...unstorable, ...describeErrors(validate.errors)]),
        );
      decodeInt64s(holder, 'requestBody', exact);
    };
    return (holder, json) => {
      try {
        accept(holder, json);
      } catch (error) {
        // Ajv recurses where a schema does; how deep a body may go is for the call stack to say.
        throw error instanceof RangeError
          ? new Problem('schemaMismatch', 'body is nested too deeply')
          : error;
      }
    };
  };

  return api.getOperations().map((operation) => {
    const { operationId, method, path, parameters = [], security = [] } = operation;
    if (operationId === undefined) return refuse(operation, 'has no operationId');
    if (parameters.length > 0 || path.includes('{'))
      refuse(operation, 'has parameters, which are not served yet');
    const bodyAt = followRefs(document, pointerTo('paths', path, method, 'requestBody'));
    const requestBody = valueAt(document, bodyAt);
    const takesBody = isTree(requestBody);
    return {
      id: operationId,
      method: method.toUpperCase(),
      path,
      security,
      takesBody,
      decodeBody: createDecodeBody(
        takesBody ? compileBody(operation, bodyAt) : undefined,
        ownMember(requestBody, 'required') === true,
      ),
    };
  });
};
