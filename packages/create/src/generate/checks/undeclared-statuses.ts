/**
 * Finds the statuses that the service answers for an operation before its handler is called, and that the operation does
 * not declare. They are warnings, because many public contracts declare fewer. Statuses that any request may get,
 * whatever its operation (408, 431, 500, 503), are not asked for.
 */
import { allOperations, type Note, needsCredentials, type PlacedOperation } from '@trellis/openapi/document';
import { isTree, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import { keyFor } from '@trellis/server/internal';

const REMEDY = 'declare each under `responses`, or `4XX` or `default` for all of them';

const isEmpty = (value: unknown): boolean => !isTree(value) || Object.keys(value).length === 0;

/** Whether callers with valid credentials may lack a scope. */
const asksForScopes = (security: unknown): boolean =>
  needsCredentials(security) &&
  Array.isArray(security) &&
  security.some((requirement) => Object.values(requirement).some((scopes) => !isEmpty(scopes)));

/** The statuses that the service answers for an operation before its handler is called, each with its meaning. */
export const answeredFor = (
  document: unknown,
  { operation, itemAt }: PlacedOperation,
): (readonly [status: string, meaning: string])[] => {
  const { parameters, requestBody, security = ownMember(document, 'security') } = operation;
  const hasBody = requestBody !== undefined;
  const sharedParameters = valueAt(document, itemAt + pointerTo('parameters'));
  const hasInput = hasBody || !isEmpty(parameters) || !isEmpty(sharedParameters);
  const cases: readonly [isAnswered: boolean, status: string, meaning: string][] = [
    [hasInput, '400', 'invalid request'],
    [needsCredentials(security), '401', 'missing or invalid credentials'],
    [asksForScopes(security), '403', 'missing scope'],
    [hasBody, '413', 'body too large'],
    [hasBody, '415', 'unsupported media type'],
  ];
  return cases.filter(([isAnswered]) => isAnswered).map(([, status, meaning]) => [status, meaning]);
};

/** Finds the operations that do not declare what the service answers for them. */
export const findUndeclaredStatuses = (document: unknown): Note[] =>
  allOperations(document).flatMap((each) => {
    const { path, method, title, operation } = each;
    const missing = answeredFor(document, each)
      .filter(([status]) => keyFor(operation.responses, Number(status)) === undefined)
      .map(([status, meaning]) => `${status} (${meaning})`);
    if (missing.length === 0) return [];
    const message = `does not declare ${missing.join(', ')}, which the service answers before its handler is called; ${REMEDY}`;
    return [{ pointer: pointerTo('paths', path, method), subject: title, message }];
  });
