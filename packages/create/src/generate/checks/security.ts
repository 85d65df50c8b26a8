/** Finds security requirements that no request can satisfy. */
import {
  allOperations,
  needsCredentials,
  type PlacedOperation,
  schemeAt,
} from '@trellis/openapi/internal/document';
import { pointerTo, valueAt } from '@trellis/openapi/internal/json';
import type { Fault } from './complaints.ts';

const REMEDY =
  'add an alternative of http bearer, http basic, apiKey, oauth2 or openIdConnect, or give serve an authenticator for it';

/** The alternatives of an operation, each with its place and its schemes; empty if it needs no credentials. */
const alternativesOf = (document: unknown, { itemAt, method }: PlacedOperation) => {
  const own = itemAt + pointerTo(method, 'security');
  const at = valueAt(document, own) === undefined ? pointerTo('security') : own;
  const security = valueAt(document, at);
  if (!needsCredentials(security) || !Array.isArray(security)) return [];
  return security.map((requirement, index) => ({
    at: at + pointerTo(`${index}`),
    names: Object.keys(requirement),
  }));
};

/**
 * Finds the schemes that are not declared, or that the service cannot check, and whether they close every operation.
 */
export const findUncheckedSchemes = (
  document: unknown,
): { readonly faults: readonly Fault[]; readonly isClosed: boolean } => {
  const faults = new Map<string, Fault>();
  const isDeclared = (name: string): boolean => schemeAt(document, name) !== undefined;
  const judge = (at: string, name: string): void => {
    const scheme = schemeAt(document, name);
    if (scheme?.kind !== undefined) return;
    const [pointer, reason, remedy] = scheme
      ? [pointerTo('components', 'securitySchemes', name), `the service cannot check ${scheme.type}`, REMEDY]
      : [
          at + pointerTo(name),
          `there is no security scheme ${name}`,
          'use a name from components.securitySchemes',
        ];
    faults.set(pointer, {
      pointer,
      message: `${reason}, so no request can satisfy alternatives with ${name}; ${remedy}`,
    });
  };
  const operations = allOperations(document).map((each) => alternativesOf(document, each));
  for (const { at, names } of operations.flat()) for (const name of names) judge(at, name);
  const isClosed = operations.every(
    (alternatives) => alternatives.length > 0 && !alternatives.some(({ names }) => names.every(isDeclared)),
  );
  return { faults: [...faults.values()], isClosed: operations.length > 0 && isClosed };
};
