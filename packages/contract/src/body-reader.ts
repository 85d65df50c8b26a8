import type { Document } from '@trellis/openapi/internal/document';
import { createBackend } from './backend.ts';
import { requestIn } from './request/validator.ts';

const MEDIA_TYPE = 'application/json';

/**
 * Compiles a reader for bodies of an operation that come from elsewhere, such as a file. They are parsed, validated and
 * decoded like the body of a request, and refused with the same Problem. `Body` is the type that the contract declares:
 * `RequestBody<operations, 'createThing'>`.
 *
 * @example
 * const read = await createBodyReader<RequestBody<'createThing'>>(await loadDocument('openapi.yaml'), 'createThing');
 * const thing = await read(Buffer.from('{"name":"Fern"}'));
 */
export const createBodyReader = async <Body>(
  document: Document,
  id: string,
): Promise<(bytes: Buffer) => Promise<Body>> => {
  const { router, validator, bodyOf } = createBackend(document);
  const operation = router.getOperation(id);
  if (!operation || !bodyOf(operation).mediaTypes.includes(MEDIA_TYPE))
    throw new Error(`openapi.yaml: ${id} takes no ${MEDIA_TYPE}`);
  const { method, path } = operation;
  const { parse } = bodyOf(operation);
  return async (bytes) => {
    const body = await parse(bytes, MEDIA_TYPE);
    const head = { method, path, headers: { 'content-type': MEDIA_TYPE } };
    return requestIn<{ readonly body: Body }>(validator.validateRequest(head, operation, body)).body;
  };
};
