import { parameterNamesIn, urlPath } from '@trellis/openapi/internal/document';
import { getOrInsert } from '@trellis/openapi/internal/json';
import { Problem } from '../problems/problem.ts';

/** A segment of a path with parameters in it, such as `{year}-{month}.json`. */
export interface Template {
  /** The same for templates that match the same segments. */
  readonly key: string;
  /** How many parameters it has. */
  readonly count: number;
  /** How many of its characters are literal. */
  readonly literal: number;
  /** The value of each parameter in a segment; `undefined` if the segment does not match. */
  readonly match: (segment: string) => string[] | undefined;
}

/**
 * Compiles a template. Parameters take at least one character, and as few as possible, from left to right. Each literal
 * between two parameters matches at its leftmost place, which leaves the most for the rest, so there is no need to
 * backtrack. A regular expression would, in cubic time for three parameters.
 */
export const createTemplate = (template: string): Template => {
  const literals = template.split(/\{[^}]*\}/);
  const [start = '', ...rest] = literals;
  const between = rest.slice(0, -1);
  const end = rest.at(-1) ?? '';

  const match = (segment: string): string[] | undefined => {
    if (!segment.startsWith(start) || !segment.endsWith(end)) return undefined;
    const values: string[] = [];
    let from = start.length;
    for (const literal of between) {
      const to = segment.indexOf(literal, from + 1);
      if (to < 0) return undefined;
      values.push(segment.slice(from, to));
      from = to + literal.length;
    }
    const last = segment.length - end.length;
    return from < last ? [...values, segment.slice(from, last)] : undefined;
  };

  return { key: literals.join('{}'), count: rest.length, literal: literals.join('').length, match };
};

/** An absolute target. DNS allows a host of 253 characters; longer ones take the parser of URLs quadratic time. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/[^/?#\\]{1,300}(?:[/?#\\]|$)/i;

/** The raw path of a target, without the query and without the host of an absolute target: both may hold a secret. */
export const pathAsSent = (target: string): string => {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '');
};

/**
 * The path of a target to route by; `undefined` if it has none. Clients may send absolute targets in every request (RFC
 * 9112, section 3.2.2).
 */
export const pathOf = (target: string): string | undefined => {
  if (target.startsWith('/')) return pathAsSent(target);
  return ABSOLUTE.test(target) && URL.canParse(target) ? pathAsSent(target) || '/' : undefined;
};

/** `%70` is `p` (RFC 3986, section 6.2.2.2). A segment that cannot be decoded matches no literal. */
export const decodeSegment = (segment: string): string | undefined => {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    return undefined;
  }
};

interface Route {
  readonly method: string;
  readonly path: string;
}

/** The route of a request, and the values of its path parameters, still encoded. */
export interface Match<T> {
  readonly route: T;
  readonly path: Readonly<Record<string, string>>;
}

/** A node of the tree of all paths, one level per segment. */
interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  readonly templates: { readonly template: Template; readonly node: Node<T> }[];
  /** The route of each method, and the names of its parameters from left to right. */
  readonly methods: Map<string, { readonly route: T; readonly names: readonly string[] }>;
}

const NO_PARAMETERS = {};

const createNode = <T>(): Node<T> => ({ literals: new Map(), templates: [], methods: new Map() });

const PARAMETER = /\{([^}]*)\}/;

/** Finds the node of a segment below another node, and creates it if necessary. */
const descend = <T>(node: Node<T>, segment: string): Node<T> => {
  if (!PARAMETER.test(segment))
    return getOrInsert(node.literals, decodeSegment(segment) ?? segment, () => createNode<T>());
  const template = createTemplate(urlPath(segment));
  const known = node.templates.find((each) => each.template.key === template.key);
  if (known) return known.node;
  const next = createNode<T>();
  node.templates.push({ template, node: next });
  // Templates with more literal characters are tried first.
  node.templates.sort(
    ({ template: one }, { template: other }) => other.literal - one.literal || one.count - other.count,
  );
  return next;
};

/** RFC 9110, section 9.3.2: HEAD is GET without the content, unless a route declares HEAD itself. */
const addRoute = <T extends Route>({ methods }: Node<T>, route: T): void => {
  const { method } = route;
  const found = { route, names: parameterNamesIn(route.path) };
  if (methods.get(method)?.route.method !== method) methods.set(method, found);
  if (method === 'GET' && !methods.has('HEAD')) methods.set('HEAD', found);
};

/** Characters that `urlPath` may write in another way. */
const ODD = /[^\w.~!$&'()*+,;=:@-]/;

/** A node at a path, and the values of the parameters in this path. */
type Found<T> = { readonly node: Node<T>; readonly values: readonly string[] };

/** Finds all nodes that match, the most literal first: if the first lacks the method, another may have it. */
function* walk<T>(
  node: Node<T>,
  segments: readonly string[],
  nth = 0,
  values: readonly string[] = [],
): Generator<Found<T>> {
  const segment = segments[nth];
  if (segment === undefined) {
    if (node.methods.size > 0) yield { node, values };
    return;
  }
  const decoded = decodeSegment(segment);
  const literal = decoded === undefined ? undefined : node.literals.get(decoded);
  if (literal) yield* walk(literal, segments, nth + 1, values);
  const written = decoded !== undefined && ODD.test(segment) ? urlPath(segment) : segment; // refused if malformed
  for (const { template, node: next } of node.templates) {
    const more = template.match(written);
    if (more) yield* walk(next, segments, nth + 1, [...values, ...more]);
  }
}

/**
 * Indexes routes once. A look-up takes time in proportion to the length of the path, however many routes there are. A
 * literal segment wins over a template (OAS 3.1, section 4.8.8.2).
 */
export const createRoutes = <T extends Route>(routes: readonly T[]) => {
  const root = createNode<T>();
  const literals = new Map<string, Node<T>>();
  let deepest = 0;
  for (const route of routes) {
    const segments = route.path.split('/');
    deepest = Math.max(deepest, segments.length);
    const node = segments.reduce(descend<T>, root);
    addRoute(node, route);
    if (!PARAMETER.test(route.path)) literals.set(route.path, node);
  }

  /** All nodes at the path of a target. */
  const nodesAt = (path: string | undefined): Iterable<Found<T>> => {
    const segments = path?.split('/', deepest + 1) ?? [];
    return segments.length === 0 || segments.length > deepest ? [] : walk(root, segments);
  };

  return {
    /** Finds the route of a request; `undefined` if no route has its path and its method. */
    find(method: string, target: string): Match<T> | undefined {
      const path = pathOf(target);
      const literal = path === undefined ? undefined : literals.get(path)?.methods.get(method);
      if (literal) return { route: literal.route, path: NO_PARAMETERS }; // the walk would find this one first
      for (const { node, values } of nodesAt(path)) {
        const match = node.methods.get(method);
        if (match)
          return {
            route: match.route,
            path: Object.fromEntries(match.names.map((name, index) => [name, values[index] ?? ''])),
          };
      }
      return undefined;
    },

    /** The methods that the routes at a target have; none if no route has its path. */
    methodsAt: (target: string): string[] => [
      ...new Set([...nodesAt(pathOf(target))].flatMap(({ node }) => [...node.methods.keys()])),
    ],
  };
};

/**
 * Answers a method that a path does not have: OPTIONS with the methods that it has (RFC 9110, section 9.3.7). Throws 405
 * for any other.
 */
export const answerOtherMethod = (method: string, path: string, methods: readonly string[]) => {
  const headers = { Allow: [...new Set([...methods, 'OPTIONS'])].join(', ') };
  if (method === 'OPTIONS') return { status: 204, headers, payload: '' };
  throw new Problem('noSuchMethod', `${method} is not allowed on ${path}; use ${methods.join(', ')}`, {
    headers,
  });
};
