import { schemeAt } from '@trellis/openapi/internal/document';
import {
  followRefs,
  memberPlace,
  once,
  pointerTo,
  type Violation,
  valueAt,
} from '@trellis/openapi/internal/json';
import type { ValidateFunction } from 'ajv';
import type { Operation } from 'openapi-backend';
import type { ReadMember } from '../body/multipart/upload-form.ts';
import type { BodyReceiver } from '../body/receive.ts';
import {
  createFindings,
  settleFindings,
  type UnknownBody,
  type UnknownQuery,
  withUndeclared,
} from '../codec/findings.ts';
import { createParameters, type Parameter } from '../parameters/parameters.ts';
import { type RequestHead, SENT } from '../parameters/places.ts';
import { createOwns } from '../parameters/reader.ts';
import { nestedTooDeeply, schemaMismatch } from '../problems/problem.ts';
import { applyEdits } from '../validation/edits.ts';
import { schemaRef } from '../validation/references.ts';
import { createValidationContext } from '../validation/validation-context.ts';
import type { createValidators, Validate } from '../validation/validators.ts';

/** The compiled rules that validate and decode requests of an operation. */
export type RequestRules = ReturnType<ReturnType<typeof createRequestRules>>;

/** The parts that the rules of all operations share. */
export interface RuleSources {
  readonly document: unknown;
  readonly requests: ReturnType<typeof createValidators>;
  readonly bodyOf: (operation: Operation) => BodyReceiver;
  /** How to handle query parameters that an operation does not declare. */
  readonly unknownQuery: UnknownQuery;
  readonly unknownBody: UnknownBody;
}

/** The builder of openapi-backend. Its last validator is the validator of the parameters. */
type Build = (operation: Operation) => ValidateFunction[] | null;

/** How many unknown names are listed; a request may have thousands. */
const MOST_LISTED = 20;

/**
 * Compiles what finds the query parameters of a request that its operation neither declares nor needs as credentials. An
 * object whose members are sent under their own names may have any, and so may a query that is one value.
 */
const createQueryCheck = (
  parameters: readonly Parameter[],
  credentials: readonly string[],
): ((head: RequestHead) => readonly Violation[]) => {
  const declared = parameters.filter(({ place }) => place === 'query');
  if (declared.some(({ source, isSpread }) => isSpread || source === 'querystring')) return () => [];
  const isOwned = createOwns(declared);
  return (head) =>
    [...SENT.query(head).keys()]
      .filter((name) => !isOwned(name) && !credentials.includes(name))
      .slice(0, MOST_LISTED)
      .map((name) => ({
        place: memberPlace('query', name),
        message: 'is not a parameter of this operation',
      }));
};

/** Compiles how values of the schema at a pointer are validated and decoded. In messages, they have the name of these steps. */
const createSchemaRules = ({ document, requests }: Pick<RuleSources, 'document' | 'requests'>) => {
  const findingsAt = createFindings(document);
  return (schemaAt: string, ...steps: readonly string[]) => ({
    /** `undefined` where there is no schema. */
    validate:
      valueAt(document, schemaAt) === undefined ? undefined : requests.validatorAt(schemaAt, ...steps),
    find: findingsAt(schemaAt),
  });
};

/** Compiles the rules of an operation. Its validators are built by openapi-backend, of references into the document. */
export const createRequestRules = (sources: RuleSources, build: Build) => {
  const { document, requests, bodyOf, unknownQuery } = sources;
  const parametersOf = createParameters(document, requests.acceptsAt);
  const rulesAt = createSchemaRules(sources);

  const parametersValidator = (operation: Operation, parameters: readonly Parameter[]): Validate => {
    const declared = parameters.map(({ name, place, required, schemaAt }) => ({
      name,
      in: place,
      required,
      schema: schemaRef(schemaAt),
    }));
    const { requestBody: _, ...rest } = operation;
    const ofParameters = build({ ...rest, parameters: declared })?.at(-1);
    if (!ofParameters)
      throw new Error(`openapi.yaml: ${operation.method} ${operation.path} has no validator`);
    return requests.validatorOf(ofParameters);
  };

  /** The query parameters that are credentials: the contract declares them as a security scheme. */
  const credentialsOf = ({ security = [] }: Operation): string[] =>
    security.flatMap(Object.keys).flatMap((name) => {
      const scheme = schemeAt(document, name);
      return scheme?.kind === 'apiKey' && scheme.place === 'query' ? scheme.parameter : [];
    });

  return (operation: Operation) => {
    const { path, method } = operation;
    const contentAt =
      followRefs(document, pointerTo('paths', path, method, 'requestBody')) + pointerTo('content');
    const { mediaTypes, mediaTypeOf, isRequired } = bodyOf(operation);
    const parameters = parametersOf(path, method);
    return {
      parameters: parameters.map((each) => {
        return { ...each, find: rulesAt(each.schemaAt).find };
      }),
      headerParameters: parameters.filter(({ place }) => place === 'header'),
      /** Validates `{ path, query, header, cookie }`. */
      validateParameters: parametersValidator(operation, parameters),
      /** Finds undeclared query parameters, if these are refused. */
      checkQuery:
        unknownQuery === 'refuse' ? createQueryCheck(parameters, credentialsOf(operation)) : undefined,
      /** By declared media type. */
      bodies: new Map(
        mediaTypes.map((mediaType) => [mediaType, rulesAt(contentAt + pointerTo(mediaType, 'schema'))]),
      ),
      mediaTypeOf,
      isBodyRequired: isRequired,
    };
  };
};

/** Compiles how single members of a body are validated and decoded, while the others are still to arrive. */
export const createMemberReader = (
  sources: Pick<RuleSources, 'document' | 'requests' | 'unknownBody'>,
): ReadMember => {
  const rulesAt = createSchemaRules(sources);
  return (name, schemaAt) => {
    const rules = once(() => rulesAt(schemaAt, 'body', name));
    return (value, exact) => {
      const { validate, find } = rules();
      const body: Record<string, unknown> = Object.fromEntries([[name, value]]);
      const context = createValidationContext(value, exact, body);
      try {
        const found = find(body, name, exact, { key: 'body', parent: undefined });
        const invalid = validate?.(context) ?? [];
        const violations = sources.unknownBody === 'refuse' ? withUndeclared(invalid, found) : invalid;
        if (violations.length > 0) throw schemaMismatch(violations);
        applyEdits(context);
        settleFindings(found);
        return body[name];
      } catch (error) {
        throw error instanceof RangeError ? nestedTooDeeply() : error;
      }
    };
  };
};
