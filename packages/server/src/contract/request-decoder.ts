import type { Violation } from '@trellis/openapi/json';
import { type ExactValue, restoreFiles } from '@trellis/openapi/json';
import type { Decode } from './codec/visits.ts';
import {
  NO_PARAMETERS,
  type Parameter,
  type ParameterValues,
  readParameters,
} from './parameters/parameters.ts';
import type { RequestHead } from './parameters/places.ts';
import { Problem, schemaMismatch } from './problems/problem.ts';
import type { Principal } from './security.ts';
import { createValidationContext, type ValidationContext } from './validation/validation-context.ts';
import type { Validate } from './validation/validators.ts';

/** A body of one media type, compiled. */
interface BodyRules {
  /** Validates `{ requestBody }`; `undefined` where the media type has no schema. */
  readonly validate: Validate | undefined;
  readonly decode: Decode;
}

/** What requests of an operation are decoded by. */
export interface RequestRules {
  readonly parameters: readonly (Parameter & { readonly decode: Decode })[];
  /** Validates `{ path, query, header, cookie }`. */
  readonly validateParameters: Validate;
  /** By declared media type. */
  readonly bodies: ReadonlyMap<string, BodyRules>;
  readonly mediaTypeOf: (contentType: string) => string;
  readonly bodyRequired: boolean;
}

/** The request that a handler gets, in the making. */
interface Decoded extends Record<string, unknown> {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  header: Record<string, unknown>;
  cookie: Record<string, unknown>;
  body: unknown;
  principal: Principal | undefined;
}

/** Handlers get header parameters under the names that the contract gives them. */
const byDeclaredName = (
  parameters: readonly Parameter[],
  header: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    parameters.flatMap(({ key, name }) => (Object.hasOwn(header, key) ? [[name, header[key]]] : [])),
  );

const BODY_IS_MISSING: Violation = { place: 'body', message: 'is required', pointer: '' };

/** Where run time meets the types: a request without violations is what was generated from the schemas. */
function assertFits<T>(_request: unknown, violations: readonly Violation[]): asserts _request is T {
  if (violations.length > 0) throw schemaMismatch(violations);
}

/**
 * Compiles the way from a request as it was sent to the one that a handler gets: a `T`, which is what was generated
 * from the schemas. Throws a Problem that names every violation, of parameters and body alike.
 */
export const createRequestDecoder = ({
  parameters,
  validateParameters,
  bodies,
  mediaTypeOf,
  bodyRequired,
}: RequestRules) => {
  const headerParameters = parameters.filter(({ place }) => place === 'header');

  const validateBody = (
    sent: ExactValue | undefined,
    rules: BodyRules | undefined,
    context: ValidationContext | undefined,
  ): readonly Violation[] => {
    if (!sent || !context) return bodyRequired ? [BODY_IS_MISSING] : [];
    const violations = (!sent.bytes && rules?.validate?.(context)) || [];
    return sent.unstorable?.length ? [...sent.unstorable, ...violations] : violations;
  };

  const decodeParameters = (request: Decoded, exact: ParameterValues, context: ValidationContext): void => {
    for (const { place, key, decode } of parameters) decode(request[place], key, exact[place][key], context);
    if (headerParameters.length > 0) request.header = byDeclaredName(headerParameters, request.header);
  };

  return <T>(
    head: RequestHead,
    sent: ExactValue | undefined,
    principal?: Principal,
    traceparent?: string,
  ): T => {
    const { value, exact } = parameters.length > 0 ? readParameters(parameters, head) : NO_PARAMETERS;
    const { path, query, header, cookie } = value;
    const request: Decoded = { path, query, header, cookie, body: sent?.value, principal };
    if (traceparent !== undefined) request.traceparent = traceparent;
    const rules = sent && bodies.get(mediaTypeOf(head.headers['content-type'] ?? ''));
    const ofParameters = parameters.length > 0 ? createValidationContext(value, exact) : undefined;
    const ofBody =
      sent &&
      createValidationContext(
        { requestBody: sent.value },
        sent.exact === undefined ? undefined : { requestBody: sent.exact },
      );
    try {
      const inBody = validateBody(sent, rules, ofBody);
      const inParameters = ofParameters ? validateParameters(ofParameters) : [];
      assertFits<T>(request, inParameters.length > 0 ? [...inParameters, ...inBody] : inBody);
      if (ofParameters) decodeParameters(request, exact, ofParameters);
      if (sent && ofBody) {
        if (!sent.bytes) rules?.decode(request, 'body', sent.exact, ofBody);
        if (sent.files) restoreFiles(sent.files);
      }
      return request;
    } catch (error) {
      // Ajv recurses where a schema does, so the call stack limits how deep a body may be nested.
      throw error instanceof RangeError ? new Problem('schemaMismatch', 'body is nested too deeply') : error;
    }
  };
};
