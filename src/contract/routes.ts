import { Problem } from './problem.ts';

interface Route {
  readonly method: string;
  readonly path: string;
}

/** The route of a request, and what stands for the parameters of its path, as it was sent. */
export interface Match<T> {
  readonly route: T;
  readonly path: Readonly<Record<string, string>>;
}

/** A step of the way through all paths at once, a segment each. */
interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  readonly templates: {
    readonly pattern: RegExp;
    readonly names: readonly string[];
    /** How many of its characters are literal. */
    readonly literal: number;
    readonly node: Node<T>;
  }[];
  readonly methods: Map<string, T>;
}

const NO_PARAMETERS = {};

const createNode = <T>(): Node<T> => ({ literals: new Map(), templates: [], methods: new Map() });

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `{name}.json` as a pattern: a parameter is anything but nothing. */
const templateOf = (segment: string) => {
  const names = [...segment.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
  const literals = segment.split(/\{[^}]*\}/);
  const pattern = new RegExp(`^${literals.map(escapePattern).join('(.+?)')}$`, 's');
  return { names, pattern, literal: literals.join('').length };
};

/** The path of a target; absolute-form targets are allowed in every request (RFC 9112, section 3.2.2). */
const pathOf = (target: string): string | undefined => {
  if (target.startsWith('/')) {
    const query = target.indexOf('?');
    return query < 0 ? target : target.slice(0, query);
  }
  return URL.canParse(target) ? new URL(target).pathname : undefined;
};

/** `%70` is `p` (RFC 3986, section 6.2.2.2); what is no encoding at all is nobody's segment. */
const decodeSegment = (segment: string): string | undefined => {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    return undefined;
  }
};

/**
 * Indexes routes once. The look-up takes as long as the path has segments, however many routes there are. A
 * literal segment goes before a template (OAS 3.1, section 4.8.8.2). It gives nothing for a path that no route
 * has, and throws 405 with `Allow` where only the method is wrong.
 */
export const createRoutes = <T extends Route>(routes: readonly T[]) => {
  const root = createNode<T>();

  const descend = (node: Node<T>, segment: string): Node<T> => {
    if (!segment.includes('{')) {
      const next = node.literals.get(segment) ?? createNode<T>();
      node.literals.set(segment, next);
      return next;
    }
    const { names, pattern, literal } = templateOf(segment);
    const known = node.templates.find(
      (template) => template.pattern.source === pattern.source && `${template.names}` === `${names}`,
    );
    if (known) return known.node;
    const template = { names, pattern, literal, node: createNode<T>() };
    node.templates.push(template);
    // The more of it is literal, the sooner it is tried.
    node.templates.sort((one, other) => other.literal - one.literal || one.names.length - other.names.length);
    return template.node;
  };
  const literals = new Map<string, Node<T>>();
  for (const route of routes) {
    const node = route.path.split('/').reduce(descend, root);
    node.methods.set(route.method, route);
    if (!route.path.includes('{')) literals.set(route.path, node);
  }

  type Found = { readonly node: Node<T>; readonly path: Readonly<Record<string, string>> };

  /** Every way through, the most literal first: one without the method may be followed by one that has it. */
  function* walk(node: Node<T>, segments: readonly string[], path: Found['path']): Generator<Found> {
    const [raw, ...rest] = segments;
    if (raw === undefined) {
      if (node.methods.size > 0) yield { node, path };
      return;
    }
    const segment = decodeSegment(raw);
    const literal = segment === undefined ? undefined : node.literals.get(segment);
    if (literal) yield* walk(literal, rest, path);
    for (const { pattern, names, node: next } of node.templates) {
      const values = pattern.exec(raw);
      if (values)
        yield* walk(next, rest, {
          ...path,
          ...Object.fromEntries(names.map((name, index) => [name, values[index + 1] ?? ''])),
        });
    }
  }

  /** `asked` is the target as the client knows it, where whoever this is mounted in has taken off its beginning. */
  return (method: string, target: string, asked = target): Match<T> | undefined => {
    const path = pathOf(target);
    if (path === undefined) return undefined;
    const literal = literals.get(path)?.methods.get(method);
    if (literal) return { route: literal, path: NO_PARAMETERS }; // what the walk would find first, without the walk
    const found = [...walk(root, path.split('/'), NO_PARAMETERS)];
    for (const { node, path: values } of found) {
      const route = node.methods.get(method);
      if (route) return { route, path: values };
    }
    if (found.length === 0) return undefined;
    const Allow = [...new Set(found.flatMap(({ node }) => [...node.methods.keys()]))].join(', ');
    throw new Problem('noSuchMethod', `${method} is not allowed on ${pathOf(asked)}; use ${Allow}`, {
      headers: { Allow },
    });
  };
};
