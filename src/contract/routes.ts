import { Problem } from './problem.ts';

interface Route {
  readonly method: string;
  readonly path: string;
}

/**
 * Absolute-form targets are allowed in every request (RFC 9112, section 3.2.2). `%70` is `p`, but `%2F` is not the
 * `/` between segments (RFC 3986, sections 6.2.2.2 and 2.2): it stays as it is.
 */
const pathOf = (target: string): string => {
  const path = target.startsWith('/')
    ? (target.split('?', 1)[0] ?? '')
    : new URL(target, 'http://host').pathname;
  return path.includes('%') ? decodeURIComponent(path.replace(/%2f/gi, '%252F')) : path;
};

const tryPathOf = (target: string): string | undefined => {
  try {
    return pathOf(target);
  } catch {
    return undefined;
  }
};

/**
 * Indexes routes once. The look-up gives the route of a request, nothing for a path that no route has, and
 * throws 405 with `Allow` where only the method is wrong.
 */
export const createRoutes = <T extends Route>(routes: readonly T[]) => {
  const byPath = new Map<string, Map<string, T>>();
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, T>();
    byPath.set(route.path, methods.set(route.method, route));
  }

  return (method: string, target: string): T | undefined => {
    const path = tryPathOf(target);
    const methods = path === undefined ? undefined : byPath.get(path);
    if (!methods) return undefined;
    const route = methods.get(method);
    if (route) return route;
    const Allow = [...methods.keys()].join(', ');
    throw new Problem('noSuchMethod', `${method} is not allowed on ${path}; use ${Allow}`, {
      headers: { Allow },
    });
  };
};
