import { operationsIn } from '../document/path-item.ts';
import { getOrInsert, once } from '../json/once.ts';
import { followRefs, ownMember, pointerTo, valueAt } from '../json/pointer.ts';
import { createRoutes, routePath } from './routes.ts';
import { createServerPaths } from './servers.ts';

/** What a page of another origin may send to a path. */
export interface Permission {
  readonly methods: readonly string[];
  /** The names of the headers that the operation takes. */
  readonly headers: readonly string[];
}

/** RFC 9110, section 5.6.2. Another name can be in no header, and would break the whole reply. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Names that can be sent, each once: the case of their letters does not count. */
const namesOf = (names: readonly string[]): string[] => {
  const byKey = new Map<string, string>();
  for (const name of names) if (TOKEN.test(name)) getOrInsert(byKey, name.toLowerCase(), () => name);
  return [...byKey.values()];
};

/** Reads what stands at a place of a document, or behind its references. */
const createReader = (document: unknown) => {
  const readAt = (...steps: readonly string[]): unknown =>
    valueAt(document, followRefs(document, pointerTo(...steps)));
  const keysAt = (...steps: readonly string[]): string[] => Object.keys(readAt(...steps) ?? {});
  return { readAt, keysAt };
};

/** The security schemes that send a key in a cookie. */
export const cookieSchemes = (document: unknown): string[] => {
  const { readAt, keysAt } = createReader(document);
  return keysAt('components', 'securitySchemes').filter((name) => {
    const scheme = readAt('components', 'securitySchemes', name);
    return ownMember(scheme, 'type') === 'apiKey' && ownMember(scheme, 'in') === 'cookie';
  });
};

/** The names of headers in replies: those given, and all that the document declares. */
export const replyHeaders = (document: unknown, others: readonly string[]): string[] => {
  const { readAt, keysAt } = createReader(document);
  const declared = keysAt('paths').flatMap((path) =>
    operationsIn(readAt('paths', path)).flatMap(({ method }) =>
      keysAt('paths', path, method, 'responses').flatMap((status) =>
        keysAt('paths', path, method, 'responses', status, 'headers'),
      ),
    ),
  );
  return namesOf([...others, ...declared]);
};

/** Finds what a page may send to a target by a method; `undefined` if no operation has both. */
export const createPreflights = (document: unknown) => {
  const { readAt, keysAt } = createReader(document);

  /** The header that credentials are sent in, if it is one (OAS 3.1, section 4.8.27). */
  const headersOfScheme = (name: string): string[] => {
    const scheme = readAt('components', 'securitySchemes', name);
    const type = ownMember(scheme, 'type');
    if (type === 'apiKey')
      return ownMember(scheme, 'in') === 'header' ? [String(ownMember(scheme, 'name'))] : [];
    return type === 'mutualTLS' ? [] : ['Authorization'];
  };

  const headerParametersAt = (...steps: readonly string[]): string[] =>
    keysAt(...steps, 'parameters')
      .map((index) => readAt(...steps, 'parameters', index))
      .filter((parameter) => ownMember(parameter, 'in') === 'header')
      .map((parameter) => String(ownMember(parameter, 'name')));

  const headersOf = (path: string, method: string): string[] => {
    const security = readAt('paths', path, method, 'security') ?? ownMember(document, 'security');
    const requirements = Array.isArray(security) ? security : [];
    return namesOf([
      ...requirements.flatMap((requirement) => Object.keys(requirement ?? {})).flatMap(headersOfScheme),
      ...(readAt('paths', path, method, 'requestBody') === undefined ? [] : ['Content-Type']),
      ...headerParametersAt('paths', path),
      ...headerParametersAt('paths', path, method),
    ]);
  };

  const serverPathOf = createServerPaths(document);
  const { find, methodsAt } = createRoutes(
    keysAt('paths').flatMap((path) =>
      operationsIn(readAt('paths', path)).map(({ method }) => ({
        method: method.toUpperCase(),
        path: routePath(serverPathOf(path, method), path),
        headers: once(() => headersOf(path, method)),
      })),
    ),
  );
  return (method: string, target: string): Permission | undefined => {
    const match = find(method, target);
    return match && { methods: methodsAt(target), headers: match.route.headers() };
  };
};
