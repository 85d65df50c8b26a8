import { parameterNamesIn, urlPath } from '@trellis/openapi/internal/document';
import { getOrInsert } from '@trellis/openapi/internal/json';
import { createTemplate, type Template } from './path-template.ts';
import { decodeSegment, pathOf } from './target.ts';

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
