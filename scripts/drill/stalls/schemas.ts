const JSON_TYPE = 'application/json';

/** The path item of an operation with a body. It returns JSON, and answers 204 to another media type. */
export const takes = (operationId: string, schema: object, type = JSON_TYPE): object => ({
  post: {
    operationId,
    requestBody: { required: true, content: { [type]: { schema } } },
    responses:
      type === JSON_TYPE
        ? { '200': { description: 'What was sent', content: { [type]: { schema } } } }
        : { '204': { description: 'Taken' } },
  },
});

/** The path item of an operation that has only parameters. */
export const asks = (operationId: string, parameters: readonly object[]): object => ({
  get: { operationId, parameters, responses: { '204': { description: 'Asked' } } },
});

/** The name of the schema of a body, by the path of its operation. */
export const nameOf = (path: string): string => path.slice(1);

/** Refers to the schema of a body. */
export const ref = (path: string): object => ({ $ref: `#/components/schemas/${nameOf(path)}` });

/** The schema of lists of certain items. */
export const listOf = (items: object): object => ({ type: 'array', items });

/** The schema of an int64. */
export const INT64 = { type: 'integer', format: 'int64' };
