import type { Document } from 'openapi-backend';
import type { OperationId, OperationRequest, RequestBody } from './handler.ts';
import { createEngine } from './operations.ts';

const MEDIA_TYPE = 'application/json';

/**
 * Compiles how bodies of an operation are read that come by another way than a request: from a file, say. They are
 * parsed, validated and decoded as if they had been sent, and refused with the same Problem.
 */
export const createBodyReader = async <Id extends OperationId>(
  document: Document,
  id: Id,
): Promise<(bytes: Buffer) => Promise<RequestBody<Id>>> => {
  const operations = await createEngine(document, { checkReplies: false });
  const operation = operations.find((each) => each.id === id);
  const parse = operation?.parsers.get(MEDIA_TYPE);
  if (!operation || !parse) throw new Error(`openapi.yaml: ${id} takes no ${MEDIA_TYPE}`);
  const { decode } = operation.compile();
  const head = { path: {}, target: operation.path, headers: {} };
  return async (bytes) => {
    const json = await parse(bytes, MEDIA_TYPE);
    return decode<OperationRequest<Id>>(head, { mediaType: MEDIA_TYPE, json }).body;
  };
};
