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

/** A segment, raw and decoded; `undefined` if it cannot be decoded. */
type Segment = readonly [raw: string, decoded: string | undefined];

/** Characters that `urlPath` may write in another way. */
const ODD = /[^\w.~!$&'()*+,;=:@-]/;

const written = (raw: string): string => (ODD.test(raw) ? urlPath(raw) : raw);

/** RFC 9110, section 9.3.2: HEAD is GET without the content, unless the route declares HEAD itself. */
const routeOf = <T>({ methods }: Node<T>, method: string) =>
  methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined);

const allowedBy = ({ methods }: Node<unknown>): string[] =>
  [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

/**
 * Indexes routes once. A look-up takes time in proportion to the length of the path, however many routes there are. A
 * literal segment wins over a template (OAS 3.1, section 4.8.8.2).
 */
export const createRoutes = <T extends Route>(routes: readonly T[]) => {
  const root = createNode<T>();

  const descend = (node: Node<T>, segment: string): Node<T> => {
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
  const literals = new Map<string, Node<T>>();
  let deepest = 0;
  for (const route of routes) {
    const segments = route.path.split('/');
    deepest = Math.max(deepest, segments.length);
    const node = segments.reduce(descend, root);
    if (!node.methods.has(route.method))
      node.methods.set(route.method, { route, names: parameterNamesIn(route.path) });
    if (!PARAMETER.test(route.path)) literals.set(route.path, node);
  }

  type Found = { readonly node: Node<T>; readonly values: readonly string[] };

  /** Finds all nodes that match, the most literal first: if the first lacks the method, another may have it. */
  function* walk(
    node: Node<T>,
    segments: readonly Segment[],
    nth = 0,
    values: readonly string[] = [],
  ): Generator<Found> {
    const segment = segments[nth];
    if (segment === undefined) {
      if (node.methods.size > 0) yield { node, values };
      return;
    }
    const [raw, decoded] = segment;
    const literal = decoded === undefined ? undefined : node.literals.get(decoded);
    if (literal) yield* walk(literal, segments, nth + 1, values);
    for (const { template, node: next } of node.templates) {
      const more = template.match(written(raw));
      if (more) yield* walk(next, segments, nth + 1, [...values, ...more]);
    }
  }

  /** All nodes at the path of a target. */
  const nodesAt = (path: string | undefined): Iterable<Found> => {
    const raws = path?.split('/', deepest + 1) ?? [];
    if (raws.length === 0 || raws.length > deepest) return [];
    return walk(
      root,
      raws.map((raw) => [raw, decodeSegment(raw)]),
    );
  };

  return {
    /** Finds the route of a request; `undefined` if no route has its path and its method. */
    find(method: string, target: string): Match<T> | undefined {
      const path = pathOf(target);
      const literal = path === undefined ? undefined : literals.get(path);
      const known = literal && routeOf(literal, method);
      if (known) return { route: known.route, path: NO_PARAMETERS }; // the walk would find this one first
      for (const { node, values } of nodesAt(path)) {
        const match = routeOf(node, method);
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
      ...new Set([...nodesAt(pathOf(target))].flatMap(({ node }) => allowedBy(node))),
    ],
  };
};
