/** Finds security that lets nobody in. It gets warnings, because the rest of the contract can be served. */
import { allOperations, clash, grantedBy, needsCredentials, schemeAt } from '@trellis/openapi/document';
import { getOrInsert, isTree, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import type { Fault } from './complaints.ts';

/** More operations than this are only counted. */
const MOST_NAMED = 5;

/** Where a fault stands that is of several operations. */
const PATHS = pointerTo('paths');

const REMEDY =
  'add an alternative of http bearer, http basic, apiKey, oauth2 or openIdConnect, or give serve an authenticator for it';

const listed = (titles: readonly string[]): string => {
  const more = titles.length - MOST_NAMED;
  return titles.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
};

/** The undeclared schemes that close an operation: one for each of its alternatives. Empty if callers can satisfy one. */
const undeclaredBy = (document: unknown, operationAt: string): { pointer: string; name: string }[] => {
  const own = operationAt + pointerTo('security');
  const at = valueAt(document, own) === undefined ? pointerTo('security') : own;
  const security = valueAt(document, at);
  if (!needsCredentials(security) || !Array.isArray(security)) return [];
  const found = security.flatMap((requirement, index) => {
    const name = Object.keys(requirement).find((each) => !schemeAt(document, each));
    return name === undefined ? [] : [{ pointer: at + pointerTo(`${index}`, name), name }];
  });
  return found.length === security.length ? found : [];
};

/** Finds the undeclared schemes because of which nobody could call any operation. */
export const findUndeclaredSchemes = (document: unknown): Fault[] => {
  const found = allOperations(document).map(({ itemAt, method }) =>
    undeclaredBy(document, itemAt + pointerTo(method)),
  );
  if (found.length === 0 || found.some((places) => places.length === 0)) return [];
  const places = new Map(found.flat().map(({ pointer, name }) => [pointer, name]));
  return [...places].map(([pointer, name]) => ({
    pointer,
    message: `there is no security scheme ${name}, so nobody could call anything; name one of components.securitySchemes`,
  }));
};

/** Finds schemes that the service cannot check, what nobody can call because of them, and what nobody can send. */
export const findUncheckedSchemes = (document: unknown): Fault[] => {
  const isUnchecked = (name: string): boolean => schemeAt(document, name)?.kind === undefined;
  const closedBy = new Map<string, string[]>();
  const clashing: string[] = [];
  const ungranted = new Map<string, string[]>();
  for (const { title, operation } of allOperations(document)) {
    const security = operation.security ?? ownMember(document, 'security');
    const requirements = (Array.isArray(security) ? security : []).filter(isTree);
    const alternatives = requirements.map(Object.keys);
    const isClosed = needsCredentials(security) && alternatives.every((names) => names.some(isUnchecked));
    if (alternatives.some((names) => clash(document, names))) clashing.push(title);
    for (const requirement of requirements)
      for (const [name, scopes] of Object.entries(requirement)) {
        const granted = grantedBy(document, name);
        for (const scope of granted && Array.isArray(scopes) ? scopes : [])
          if (!granted?.has(scope)) getOrInsert(ungranted, `${name} ${scope}`, () => []).push(title);
      }
    for (const name of new Set(alternatives.flat().filter(isUnchecked))) {
      const closed = getOrInsert(closedBy, name, () => []);
      if (isClosed) closed.push(title);
    }
  }
  const unchecked = [...closedBy].map(([name, closed]) => {
    const outcome = closed.length === 0 ? '' : `, and ${listed(closed)} can only answer 501`;
    const type = schemeAt(document, name)?.type;
    const [pointer, reason, remedy] =
      type === undefined
        ? [PATHS, `there is no security scheme ${name}`, 'name one of components.securitySchemes']
        : [pointerTo('components', 'securitySchemes', name), `the service cannot check ${type}`, REMEDY];
    return { pointer, message: `${reason}, so alternatives with ${name} let nobody in${outcome}; ${remedy}` };
  });
  const clashes = `http basic and a bearer token are asked for at once by ${listed(clashing)}, and a request has one Authorization header for both; make them alternatives`;
  const grants = [...ungranted].map(([scope, titles]) => ({
    pointer: PATHS,
    message: `no flow of ${scope.replace(' ', ' grants the scope ')}, which ${listed(titles)} asks for, so perhaps nobody can have it; declare it under \`scopes\`, or correct its name`,
  }));
  return [...unchecked, ...(clashing.length > 0 ? [{ pointer: PATHS, message: clashes }] : []), ...grants];
};
