import { allOperations, allResponses, schemeAt } from '@trellis/openapi/internal/document';
import { getOrInsert, ownMember, valueAt } from '@trellis/openapi/internal/json';
import { createRoutes } from './routes.ts';
import { createServerPaths } from './servers.ts';

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

/** Finds the methods that a page may use at the path of a target; `undefined` if no operation has this path and this method. */
export const createPreflights = (document: unknown) => {
  const serverPathOf = createServerPaths(document);
  const { find, methodsAt } = createRoutes(
    allOperations(document).map(({ path, method }) => ({
      method: method.toUpperCase(),
      path: serverPathOf(path, method) + path,
    })),
  );
  return (method: string, target: string): string[] | undefined => find(method, target) && methodsAt(target);
};
