import { operationsIn } from '../../../packages/openapi/src/document/path-item.ts';
import { ownMember } from '../../../packages/openapi/src/json/pointer.ts';
import type { StallClass } from './case.ts';

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

const nameOf = (path: string): string => path.slice(1);

/** Refers to the schema of a body. */
export const ref = (path: string): object => ({ $ref: `#/components/schemas/${nameOf(path)}` });

/** The schema of lists of certain items. */
export const listOf = (items: object): object => ({ type: 'array', items });

/** The schema of an int64. */
export const INT64 = { type: 'integer', format: 'int64' };

/** Builds a document from the parts that the classes bring. */
export const documentOf = (classes: readonly StallClass[]) => {
  const bodies = classes.flatMap((one) => Object.entries(one.bodies ?? {}));
  const taken = bodies.map(([path]) => [path, takes(nameOf(path), ref(path))]);
  return {
    openapi: '3.1.0',
    info: { title: 'Hard to serve', version: '1.0.0' },
    paths: Object.assign(Object.fromEntries(taken), ...classes.map(({ paths }) => paths)),
    components: { schemas: Object.fromEntries(bodies.map(([path, schema]) => [nameOf(path), schema])) },
  };
};

/** Lists the method, path, operationId and media type of every operation. Those without a body have no media type. */
export const operationsOf = (paths: Readonly<Record<string, object>>) =>
  Object.entries(paths).flatMap(([path, item]) =>
    operationsIn(item).map(({ method, operation }) => {
      const [type] = Object.keys(Object(ownMember(operation.requestBody, 'content')));
      return { method, path, id: String(operation.operationId), type, isEchoed: type === JSON_TYPE };
    }),
  );
