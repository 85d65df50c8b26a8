import { schemeAt } from '@trellis/openapi/internal/document';
import { followRefs, once, pointerTo, type Violation, valueAt } from '@trellis/openapi/internal/json';
import type { ValidateFunction } from 'ajv';
import type { Operation } from 'openapi-backend';
import type { ReadMember } from '../body/multipart/upload-form.ts';
import type { BodyReceiver } from '../body/receive.ts';
import { createValueDecoder } from '../codec/decode.ts';
import {
  createFindings,
  type Find,
  settleFindings,
  type UnknownBody,
  withUndeclared,
} from '../codec/findings.ts';
import type { Decode } from '../codec/visits.ts';
import { createParameters, type Parameter } from '../parameters/parameters.ts';
import type { RequestHead } from '../parameters/places.ts';
import { createQueryCheck, type UnknownQuery } from '../parameters/unknown-query.ts';
import { nestedTooDeeply, schemaMismatch } from '../problems/problem.ts';
import { schemaRef } from '../validation/references.ts';
import { createValidationContext } from '../validation/validation-context.ts';
import type { createValidators, Validate } from '../validation/validators.ts';

/** A body of one media type, compiled. */
export interface BodyRules {
  /** `undefined` where the media type has no schema. */
  readonly validate: Validate | undefined;
  readonly find: Find;
  readonly decode: Decode;
}

/** The compiled rules that validate and decode requests of an operation. */
export interface RequestRules {
  readonly parameters: readonly (Parameter & { readonly find: Find; readonly decode: Decode })[];
  readonly headerParameters: readonly Parameter[];
  /** Validates `{ path, query, header, cookie }`. */
  readonly validateParameters: Validate;
  /** Finds undeclared query parameters, if these are refused. */
  readonly checkQuery: ((head: RequestHead) => readonly Violation[]) | undefined;
  /** By declared media type. */
  readonly bodies: ReadonlyMap<string, BodyRules>;
  readonly mediaTypeOf: (contentType: string) => string;
  readonly bodyRequired: boolean;
}

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

/** Compiles the rules of an operation. Its validators are built by openapi-backend, of references into the document. */
export const createRequestRules = (
  { document, requests, bodyOf, unknownQuery }: RuleSources,
  build: Build,
): ((operation: Operation) => RequestRules) => {
  const parametersOf = createParameters(document, requests.acceptsAt);
  const decoderAt = createValueDecoder(document, requests.acceptsAt);
  const findingsAt = createFindings(document);

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

  return (operation) => {
    const { path, method } = operation;
    const contentAt =
      followRefs(document, pointerTo('paths', path, method, 'requestBody')) + pointerTo('content');
    const { mediaTypes, mediaTypeOf, isRequired } = bodyOf(operation);
    const parameters = parametersOf(path, method);
    const compileBody = (mediaType: string): BodyRules => {
      const schemaAt = contentAt + pointerTo(mediaType, 'schema');
      return {
        validate: valueAt(document, schemaAt) === undefined ? undefined : requests.validatorAt(schemaAt),
        find: findingsAt(schemaAt),
        decode: decoderAt(schemaAt),
      };
    };
    return {
      parameters: parameters.map((each) => ({
        ...each,
        find: findingsAt(each.schemaAt),
        decode: decoderAt(each.schemaAt),
      })),
      headerParameters: parameters.filter(({ place }) => place === 'header'),
      validateParameters: parametersValidator(operation, parameters),
      checkQuery:
        unknownQuery === 'refuse' ? createQueryCheck(parameters, credentialsOf(operation)) : undefined,
      bodies: new Map(mediaTypes.map((mediaType) => [mediaType, compileBody(mediaType)])),
      mediaTypeOf,
      bodyRequired: isRequired,
    };
  };
};

/** Compiles how single members of a body are validated and decoded, while the others are still to arrive. */
export const createMemberReader = ({
  document,
  requests,
  unknownBody,
}: Pick<RuleSources, 'document' | 'requests' | 'unknownBody'>): ReadMember => {
  const decoderAt = createValueDecoder(document, requests.acceptsAt);
  const findingsAt = createFindings(document);
  return (name, schemaAt) => {
    const validate = requests.validatorAt(schemaAt, 'body', name);
    const decoder = once(() => decoderAt(schemaAt));
    const find = findingsAt(schemaAt);
    return (value, exact) => {
      const body: Record<string, unknown> = Object.fromEntries([[name, value]]);
      const context = createValidationContext(value, exact);
      try {
        const found = find(body, name, exact, { key: 'body', parent: undefined });
        const invalid = validate(context);
        const violations = unknownBody === 'refuse' ? withUndeclared(invalid, found) : invalid;
        if (violations.length > 0) throw schemaMismatch(violations);
        decoder()(body, name, exact, context);
        settleFindings(found);
        return body[name];
      } catch (error) {
        throw error instanceof RangeError ? nestedTooDeeply() : error;
      }
    };
  };
};
