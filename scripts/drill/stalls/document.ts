import type { StallClass } from './case.ts';

/** Builds a document from the parts that the classes bring. */
export const documentOf = (classes: readonly StallClass[]) => ({
  openapi: '3.1.0',
  info: { title: 'Hard to serve', version: '1.0.0' },
  paths: Object.assign({}, ...classes.map(({ paths }) => paths)),
  components: { schemas: Object.assign({}, ...classes.map(({ schemas }) => schemas)) },
});

const METHODS = ['get', 'post'] as const;

/** Lists the method, path and operationId of every operation. */
export const operationsOf = (paths: Readonly<Record<string, object>>) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation: unknown = Object.entries(item).find(([name]) => name === method)?.[1];
      return typeof operation === 'object' && operation && 'operationId' in operation
        ? [{ method, path, id: String(operation.operationId) }]
        : [];
    }),
  );
