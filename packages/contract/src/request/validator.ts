import { type ExactValue, oncePerKey, restoreFiles, type Violation } from '@trellis/openapi/internal/json';
import { OpenAPIValidator, type Operation } from 'openapi-backend';
import { settleFindings, withUndeclared } from '../codec/findings.ts';
import {
  NO_PARAMETERS,
  type Parameter,
  type ParameterValues,
  readParameters,
} from '../parameters/parameters.ts';
import { nestedTooDeeply, schemaMismatch } from '../problems/problem.ts';
import type { LinearRouter } from '../routing/router.ts';
import { applyEdits } from '../validation/edits.ts';
import { createValidationContext, type ValidationContext } from '../validation/validation-context.ts';
import type { Principal } from './exchange.ts';
import { Incoming, type IncomingHead } from './incoming.ts';
import { createRequestRules, type RequestRules, type RuleSources } from './rules.ts';

/** A valid request, decoded for its handler. */
interface Accepted {
  readonly valid: true;
  readonly decoded: unknown;
}

/** The request that a handler gets. */
class HandlerRequest extends Incoming {
  [name: string]: unknown;
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  header: Record<string, unknown>;
  cookie: Record<string, unknown>;
  body: unknown;
  principal: Principal | undefined;

  constructor(
    { path, query, header, cookie }: ParameterValues,
    head: IncomingHead,
    body: ExactValue | undefined,
  ) {
    super(head);
    this.path = path;
    this.query = query;
    this.header = header;
    this.cookie = cookie;
    this.body = body?.value;
    this.principal = head.exchange?.principal;
  }
}

const NONE: readonly Violation[] = [];
const BODY_IS_MISSING: readonly Violation[] = [{ place: 'body', message: 'is required', pointer: '' }];

/** Renames header parameters to the names that the contract declares. */
const byDeclaredName = (
  parameters: readonly Parameter[],
  header: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    parameters.flatMap(({ key, name }) => (Object.hasOwn(header, key) ? [[name, header[key]]] : [])),
  );

const decodeParameters = (
  { parameters, headerParameters }: RequestRules,
  request: HandlerRequest,
  exact: ParameterValues,
  context: ValidationContext,
): void => {
  const found = parameters.map(({ place, key, find }) =>
    find(request[place], key, exact[place][key], { key: place, parent: undefined }),
  );
  applyEdits(context);
  found.forEach(settleFindings);
  if (headerParameters.length > 0) request.header = byDeclaredName(headerParameters, request.header);
};

/** The validator of openapi-backend with the exact Ajv of the document; see backend.ts for the reasons. */
export class ExactValidator extends OpenAPIValidator {
  /** Compiles the rules of an operation on first use, so that the start does not wait for a thousand operations. */
  readonly rulesFor: (operation: Operation) => RequestRules;
  readonly #ajv: RuleSources['requests']['ajv'];
  readonly #refusesUnknown: boolean;

  constructor(router: LinearRouter, sources: RuleSources) {
    super({ definition: router.definition, router, lazyCompileValidators: true });
    this.#ajv = sources.requests.ajv;
    this.#refusesUnknown = sources.unknownBody === 'refuse';
    this.rulesFor = oncePerKey(
      createRequestRules(sources, (operation) => this.buildRequestValidatorsForOperation(operation)),
    );
  }

  override getAjv(): ReturnType<RuleSources['requests']['ajv']> {
    return this.#ajv();
  }

  /**
   * Validates a request of an operation, and decodes it. Throws a Problem for one that cannot be read, or is not valid:
   * that one lists every violation, of parameters and body alike.
   */
  override validateRequest(head: IncomingHead, operation: Operation, body?: ExactValue): Accepted {
    const rules = this.rulesFor(operation);
    const traceparent = head.exchange?.trace?.traceparent;
    const hasParameters = rules.parameters.length > 0;
    const { value, exact } = hasParameters ? readParameters(rules.parameters, head) : NO_PARAMETERS;
    const request = new HandlerRequest(value, head, body);
    if (traceparent !== undefined) request.traceparent = traceparent;
    const mediaType = body && rules.mediaTypeOf(head.headers['content-type'] ?? '');
    const bodyRules = mediaType === undefined || body?.bytes ? undefined : rules.bodies.get(mediaType); // no schema for bytes
    const ofParameters = hasParameters ? createValidationContext(value, exact) : undefined;
    const ofBody = body && createValidationContext(body.value, body.exact, request);
    try {
      const found = bodyRules?.find(request, 'body', body?.exact);
      const missing = rules.isBodyRequired && !body ? BODY_IS_MISSING : NONE;
      const invalid = (ofBody && bodyRules?.validate?.(ofBody)) ?? missing;
      const inBody = found && this.#refusesUnknown ? withUndeclared(invalid, found) : invalid;
      const inParameters = ofParameters ? rules.validateParameters(ofParameters) : [];
      const inQuery = rules.checkQuery?.(head) ?? [];
      const violations =
        inParameters.length + inQuery.length > 0 ? [...inQuery, ...inParameters, ...inBody] : inBody;
      if (violations.length > 0) throw schemaMismatch(violations);
      if (ofParameters) decodeParameters(rules, request, exact, ofParameters);
      if (ofBody) applyEdits(ofBody);
      if (found) settleFindings(found);
      if (body?.files) restoreFiles(body.files);
      return { valid: true, decoded: request };
    } catch (error) {
      throw error instanceof RangeError ? nestedTooDeeply() : error;
    }
  }

  /** The definition that it is given has no responses, so it would call every reply valid. */
  override validateResponse(): never {
    throw new Error('replies are validated where they are written: reply/replies.ts');
  }

  override validateResponseHeaders(): never {
    return this.validateResponse();
  }
}

/** Asserts the generated type of a request: only the validator creates requests of that type. */
function assertTyped<T>(request: unknown): asserts request is T {
  if (!(request instanceof HandlerRequest)) throw new TypeError('the request was not validated');
}

/** Returns the request for a handler, as the type `T` that was generated from the schemas. */
export const requestIn = <T>({ decoded }: Accepted): T => {
  assertTyped<T>(decoded);
  return decoded;
};
