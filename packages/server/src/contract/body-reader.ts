import type { Document } from 'openapi-backend';
import { compileOperations } from './operations.ts';

const MEDIA_TYPE = 'application/json';

/**
 * Compiles how bodies of an operation are read that do not come in a request, but from a file, say. They are parsed,
 * validated and decoded as if they had been sent, and refused with the same Problem. `Body` is the
 * type that the contract declares: `RequestBody<operations, 'createThing'>`.
 */
export const createBodyReader = async <Body>(
  document: Document,
  id: string,
): Promise<(bytes: Buffer) => Promise<Body>> => {
  const operations = await compileOperations(document, { checkReplies: false });
  const operation = operations.find((each) => each.id === id);
  if (!operation?.body.mediaTypes.includes(MEDIA_TYPE))
    throw new Error(`openapi.yaml: ${id} takes no ${MEDIA_TYPE}`);
  const { decode } = operation.compile();
  const head = { path: {}, target: operation.path, headers: { 'content-type': MEDIA_TYPE } };
  return async (bytes) =>
    decode<{ readonly body: Body }>(head, await operation.body.parse(bytes, MEDIA_TYPE)).body;
};
