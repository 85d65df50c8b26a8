import type { Document } from 'openapi-backend';
import { followRefs, isTree, ownMember, pointerTo, valueAt } from './pointer.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** A document as far as operations go: their names and who may call them. There are no references in it. */
export const outlineOf = (contract: Document, document: unknown): Document => ({
  openapi: contract.openapi,
  info: contract.info,
  ...(contract.security && { security: contract.security }),
  paths: Object.fromEntries(
    Object.keys(contract.paths ?? {}).map((path) => {
      const item = valueAt(document, followRefs(document, pointerTo('paths', path)));
      const operations = METHODS.flatMap((method) => {
        const operation = ownMember(item, method);
        if (!isTree(operation)) return [];
        const { operationId, security } = operation;
        const rest = security === undefined ? {} : { security };
        return [[method, { responses: {}, ...rest, ...(operationId !== undefined && { operationId }) }]];
      });
      return [path, Object.fromEntries(operations)];
    }),
  ),
});
