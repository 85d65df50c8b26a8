import {
  allOperations,
  allResponses,
  headerNamesOf,
  type PlacedOperation,
  schemeAt,
} from '@trellis/openapi/document';
import { getOrInsert, once, ownMember, valueAt } from '@trellis/openapi/json';
import { createRoutes } from './routes.ts';
import { createServerPaths } from './servers.ts';
import { routePath } from './target.ts';

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

const namesIn = (value: unknown, name: string): string[] => Object.keys(ownMember(value, name) ?? {});

/** The security schemes that send a key in a cookie. */
export const cookieSchemes = (document: unknown): string[] =>
  namesIn(ownMember(document, 'components'), 'securitySchemes').filter((name) => {
    const scheme = schemeAt(document, name);
    return scheme?.kind === 'apiKey' && scheme.place === 'cookie';
  });

/** The names of headers in replies: those given, and all that the document declares. */
export const replyHeaders = (document: unknown, others: readonly string[]): string[] =>
  namesOf([...others, ...allResponses(document).flatMap((at) => namesIn(valueAt(document, at), 'headers'))]);

/** Finds what a page may send to a target by a method; `undefined` if no operation has both. */
export const createPreflights = (document: unknown) => {
  /** The header that credentials are sent in, if it is one (OAS 3.1, section 4.8.27). */
  const headersOfScheme = (name: string): string[] => {
    const scheme = schemeAt(document, name);
    if (scheme?.type !== 'apiKey') return scheme?.type === 'mutualTLS' ? [] : ['Authorization'];
    return scheme.place === 'header' ? [scheme.parameter] : [];
  };

  const headersOf = (placed: PlacedOperation): string[] => {
    const { operation } = placed;
    const security = operation.security ?? ownMember(document, 'security') ?? [];
    return namesOf([
      ...Object.values(security)
        .flatMap((requirement) => Object.keys(requirement ?? {}))
        .flatMap(headersOfScheme),
      ...(operation.requestBody === undefined ? [] : ['Content-Type']),
      ...headerNamesOf(document, placed),
    ]);
  };

  const serverPathOf = createServerPaths(document);
  const { find, methodsAt } = createRoutes(
    allOperations(document).map((operation) => ({
      method: operation.method.toUpperCase(),
      path: routePath(serverPathOf(operation.path, operation.method), operation.path),
      headers: once(() => headersOf(operation)),
    })),
  );
  return (method: string, target: string): Permission | undefined => {
    const match = find(method, target);
    return match && { methods: methodsAt(target), headers: match.route.headers() };
  };
};
