import { operationIdOf } from '@trellis/openapi/document';
import type { OpenAPIBackend, Operation } from 'openapi-backend';
import type { Parameter } from './parameters/parameters.ts';
import { schemaRef } from './validation/ajv.ts';
import type { createValidators, Validate } from './validation/validators.ts';

/** Builds the validators of an operation's requests with openapi-backend, which compiles them with our Ajv. */
export const createRequestValidators = (
  api: OpenAPIBackend,
  { validatorOf }: ReturnType<typeof createValidators>,
) => {
  /** A validator for the body, if there is a schema for it, and one for the parameters, which is the last. */
  const build = (operation: Operation, parameters: readonly Parameter[], bodyAt?: string) =>
    api.validator.buildRequestValidatorsForOperation({
      ...operation,
      operationId: operationIdOf(operation),
      parameters: parameters.map(({ name, place, required, schemaAt }) => ({
        name,
        in: place,
        required,
        schema: schemaRef(schemaAt),
      })),
      requestBody: {
        required: true,
        content: bodyAt === undefined ? {} : { 'application/json': { schema: schemaRef(bodyAt) } },
      },
    }) ?? [];

  return {
    /** Validates `{ requestBody }` by the schema at a pointer. */
    ofBody: (operation: Operation, schemaAt: string): Validate | undefined => {
      const [ofBody] = build(operation, [], schemaAt).slice(0, -1);
      return ofBody && validatorOf(ofBody);
    },

    /** Validates `{ path, query, header, cookie }`. */
    ofParameters: (operation: Operation, parameters: readonly Parameter[]): Validate => {
      const ofParameters = build(operation, parameters).at(-1);
      if (!ofParameters)
        throw new Error(`openapi.yaml: ${operation.method} ${operation.path} has no validator`);
      return validatorOf(ofParameters);
    },
  };
};
