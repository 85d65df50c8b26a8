import { withPointers } from '@trellis/openapi/internal/document';
import { followRefs, oncePerKey, pointerTo } from '@trellis/openapi/internal/json';
import type { Document, Operation } from 'openapi-backend';
import { createBodyReceiver } from './body/receive.ts';
import type { UnknownRules } from './contract-rules.ts';
import { createMemberReader } from './request/rules.ts';
import { ExactValidator } from './request/validator.ts';
import { LinearRouter } from './routing/router.ts';
import { createValidators } from './validation/validators.ts';

/** The router, validator and body readers of a document. */
export type Backend = ReturnType<typeof createBackend>;

/**
 * Creates the router and the validator of openapi-backend for a document. A subclass of each corrects its errors and
 * avoids work that it would repeat for every request. (Classes are the exception here: openapi-backend cannot be
 * extended in another way.) All corrections, with reasons:
 *
 * The whole
 * - `OpenAPIBackend` itself is left out. Its document check supports OpenAPI 3.0 only and refuses 3.1 (`npm run
 *   generate` checks 3.1); it dereferences the whole document, fails on a pointer with `~1`, and drops the siblings of
 *   `$ref`; its `handleRequest` parses each request three times. contract.ts takes the same steps: `matchOperation`,
 *   authenticate, read the body, `validateRequest`, handler.
 * - Its security accepts any truthy value and turns an outage into a 401. authentication.ts replaces it.
 * - Without a `validationFail` handler, an invalid request reaches the handler of its operation. Our `validateRequest`
 *   throws.
 *
 * `LinearRouter` extends `OpenAPIRouter`
 * - `getOperations` flattens the document on each call and covers eight methods. Ours lists all operations once,
 *   including `query` and `additionalOperations`, so the router is created with an empty definition.
 * - An operation without an operationId has no validator, and two with the same one share it. The first gets a name of
 *   its method and path; the second is an error.
 * - `matchOperation` builds a regular expression for each path and request, and matches it again for `params`. Ours looks
 *   the path up in a tree, in time that depends on its length alone, and fills in `params` on the way.
 * - It ignores slashes at the end of a path, decodes no literal (`/%61` is `/a`), treats HEAD and GET as unrelated, and
 *   supports one `apiRoot`. routes.ts and servers.ts follow HTTP and OpenAPI, including servers of single operations.
 * - A 405 has no `Allow`. `methodsAt` lists the methods of a path.
 *
 * `ExactValidator` extends `OpenAPIValidator`
 * - `lazyCompileValidators`: it would compile every operation at the start, which takes seconds for a thousand.
 * - `getAjv`: its Ajv is draft-07, made anew for every operation, and rounds int64. Ours is 2020-12, one for the document,
 *   and exact. `customizeAjv` would make its own first and throw it away, which takes a millisecond for each operation.
 * - `buildRequestValidatorsForOperation` is its own, but gets each schema as a `$ref` into the document, so that no
 *   schema is copied and siblings of `$ref` count.
 * - `validateRequest` parses the body again and rounds its integers; parameters of a path override parameters of the
 *   operation; undeclared parameters are always refused; values are passed on as texts; and `0x10` is accepted as an
 *   integer. Ours takes a parsed body, reads parameters by style and type (parameters/), validates the result and
 *   decodes it.
 * - It supports no media type but JSON, and no 415. body/ supports the others.
 * - `validateResponse` calls undeclared statuses valid. reply/ validates replies; here it throws.
 */
export const createBackend = (
  contract: Document,
  { unknownQuery = 'ignore', unknownBody = 'drop' }: UnknownRules = {},
) => {
  const document = withPointers(contract);
  const router = new LinearRouter(contract, document);
  const requests = createValidators(document, 'request');
  const readMember = createMemberReader({ document, requests, unknownBody });
  /** How an operation receives its bodies. */
  const bodyOf = oncePerKey(({ path, method }: Operation) => {
    const bodyAt = followRefs(document, pointerTo('paths', path, method, 'requestBody'));
    return createBodyReceiver(document, bodyAt, requests.acceptsAt, readMember);
  });
  const validator = new ExactValidator(router, { document, requests, bodyOf, unknownQuery, unknownBody });
  return { document, router, validator, bodyOf };
};
