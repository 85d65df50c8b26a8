import { followRefs, pointerTo, valueAt } from '../json/pointer.ts';
import type { Document } from './document.ts';
import { operationsIn } from './path-item.ts';

/** The operations of a document, with their names and security only, and without references. */
export const outlineOf = (contract: Document, document: unknown): Document => ({
  openapi: contract.openapi,
  info: contract.info,
  ...(contract.security && { security: contract.security }),
  paths: Object.fromEntries(
    Object.keys(contract.paths ?? {}).map((path) => {
      const item = valueAt(document, followRefs(document, pointerTo('paths', path)));
      const operations = operationsIn(item).map(({ method, operation: { operationId, security } }) => [
        method,
        {
          responses: {},
          ...(operationId !== undefined && { operationId }),
          ...(security !== undefined && { security }),
        },
      ]);
      return [path, Object.fromEntries(operations)];
    }),
  ),
});
