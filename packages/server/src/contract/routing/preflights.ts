import { allOperations, schemeAt } from '@trellis/openapi/document';
import { followRefs, getOrInsert, once, ownMember, targetOf, valueAt } from '@trellis/openapi/json';
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

/** Gives a value, or what its `$ref` leads to. */
const follow = (document: unknown, value: unknown): unknown => {
  const target = targetOf(ownMember(value, '$ref'));
  return target === undefined ? value : valueAt(document, followRefs(document, target));
};

const membersOf = (value: unknown, name: string): unknown[] => Object.values(ownMember(value, name) ?? {});

const namesIn = (value: unknown, name: string): string[] => Object.keys(ownMember(value, name) ?? {});

/** The security schemes that send a key in a cookie. */
export const cookieSchemes = (document: unknown): string[] =>
  namesIn(ownMember(document, 'components'), 'securitySchemes').filter((name) => {
    const scheme = schemeAt(document, name);
    return scheme?.kind === 'apiKey' && scheme.place === 'cookie';
  });

/** The names of headers in replies: those given, and all that the document declares. */
export const replyHeaders = (document: unknown, others: readonly string[]): string[] => {
  const declared = allOperations(document)
    .flatMap(({ operation }) => membersOf(operation, 'responses'))
    .flatMap((response) => namesIn(follow(document, response), 'headers'));
  return namesOf([...others, ...declared]);
};

/** Finds what a page may send to a target by a method; `undefined` if no operation has both. */
export const createPreflights = (document: unknown) => {
  /** The header that credentials are sent in, if it is one (OAS 3.1, section 4.8.27). */
  const headersOfScheme = (name: string): string[] => {
    const scheme = schemeAt(document, name);
    if (scheme?.type !== 'apiKey') return scheme?.type === 'mutualTLS' ? [] : ['Authorization'];
    return scheme.place === 'header' ? [scheme.parameter] : [];
  };

  const headerParametersOf = (holder: unknown): string[] =>
    membersOf(holder, 'parameters')
      .map((parameter) => follow(document, parameter))
      .filter((parameter) => ownMember(parameter, 'in') === 'header')
      .map((parameter) => String(ownMember(parameter, 'name')));

  const headersOf = (item: unknown, operation: unknown): string[] => {
    const security = ownMember(operation, 'security') ?? ownMember(document, 'security') ?? [];
    return namesOf([
      ...Object.values(security)
        .flatMap((requirement) => Object.keys(requirement ?? {}))
        .flatMap(headersOfScheme),
      ...(ownMember(operation, 'requestBody') === undefined ? [] : ['Content-Type']),
      ...headerParametersOf(item),
      ...headerParametersOf(operation),
    ]);
  };

  const serverPathOf = createServerPaths(document);
  const { find, methodsAt } = createRoutes(
    allOperations(document).map(({ path, method, itemAt, operation }) => ({
      method: method.toUpperCase(),
      path: routePath(serverPathOf(path, method), path),
      headers: once(() => headersOf(valueAt(document, itemAt), operation)),
    })),
  );
  return (method: string, target: string): Permission | undefined => {
    const match = find(method, target);
    return match && { methods: methodsAt(target), headers: match.route.headers() };
  };
};
