import { followRefs, isTree, ownMember, pointerTo, valueAt } from '../json/pointer.ts';
import { METHODS } from './methods.ts';

/** The names of the parameters in a path, from left to right. */
export const parameterNamesIn = (path: string): string[] =>
  [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);

/** Percent-encodings, and characters that no path of a URL has (RFC 3986, section 3.3). */
const NOT_LITERAL = /%[\dA-Fa-f]{2}|[^\w.~!$&'()*+,;=:@/-]/gu;
const UNRESERVED = /^[\w.~-]$/;

const encodeLiteral = (text: string): string => {
  if (text.length < 3) return encodeURIComponent(text.toWellFormed());
  const char = String.fromCharCode(Number.parseInt(text.slice(1), 16));
  return UNRESERVED.test(char) ? char : text.toUpperCase();
};

/**
 * Writes a path, or a part of one, as in a URL: encodings that mean the same are the same. Parameters stay as they are.
 */
export const urlPath = (path: string): string =>
  path
    .split(/(\{[^}]*\})/)
    .map((part, index) => (index % 2 === 0 ? part.replace(NOT_LITERAL, encodeLiteral) : part))
    .join('');

/**
 * The name of an operation: its operationId, or one made of method and path. `get /things/{id}` is `getThingsById`, in
 * types and at run time.
 */
export const operationIdOf = ({
  operationId,
  method,
  path,
}: {
  readonly operationId?: unknown;
  readonly method: string;
  readonly path: string;
}): string => {
  if (typeof operationId === 'string') return operationId;
  const words = path
    .replace(/\{([^}]*)\}/g, ' by $1 ')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
};

/** The operations of a path item, by their methods, in lower case. */
export const operationsIn = (
  item: unknown,
): { readonly method: string; readonly operation: Record<string, unknown> }[] =>
  METHODS.flatMap((method) => {
    const operation = ownMember(item, method);
    return isTree(operation) ? [{ method, operation }] : [];
  });

/** An operation of a document, with its path and method. */
export interface PlacedOperation {
  /** Its operationId, or a name made of method and path. */
  readonly id: string;
  readonly path: string;
  /** In lower case. */
  readonly method: string;
  /** How people call it: `GET /things`. */
  readonly title: string;
  readonly operation: Record<string, unknown>;
  /** The pointer of its path item, where a `$ref` of the path leads. */
  readonly itemAt: string;
}

/**
 * Lists all operations of a document, in document order.
 *
 * @example
 * for (const { title, operation } of allOperations(await loadDocument('openapi.yaml')))
 *   console.log(title, operation.summary); // GET /things List all things
 */
export const allOperations = (document: unknown): PlacedOperation[] =>
  Object.keys(ownMember(document, 'paths') ?? {}).flatMap((path) => {
    const itemAt = followRefs(document, pointerTo('paths', path));
    return operationsIn(valueAt(document, itemAt)).map(({ method, operation }) => ({
      id: operationIdOf({ operationId: operation.operationId, method, path }),
      path,
      method,
      title: `${method.toUpperCase()} ${path}`,
      operation,
      itemAt,
    }));
  });

/** The pointers of the responses that operations of a document declare, each once. */
export const allResponses = (document: unknown): string[] => {
  const declared = allOperations(document).flatMap(({ itemAt, method, operation }) =>
    Object.keys(operation.responses ?? {}).map((status) => itemAt + pointerTo(method, 'responses', status)),
  );
  return [...new Set(declared.map((at) => followRefs(document, at)))];
};

/**
 * The pointers of an operation's parameters, which override the parameters of its path item (OAS 3.1, section
 * 4.8.10.1).
 */
export const parametersAt = (document: unknown, itemAt: string, operationAt: string): string[] => {
  const found = new Map<string, string>();
  for (const holder of [itemAt, operationAt])
    for (const index of Object.keys(valueAt(document, holder + pointerTo('parameters')) ?? {})) {
      const at = followRefs(document, holder + pointerTo('parameters', index));
      const declared = valueAt(document, at);
      found.set(`${ownMember(declared, 'in')} ${ownMember(declared, 'name')}`, at);
    }
  return [...found.values()];
};

/** The names of an operation's header parameters. */
export const headerNamesOf = (document: unknown, { itemAt, method }: PlacedOperation): string[] =>
  parametersAt(document, itemAt, itemAt + pointerTo(method))
    .map((at) => valueAt(document, at))
    .filter((parameter) => ownMember(parameter, 'in') === 'header')
    .map((parameter) => String(ownMember(parameter, 'name')));

/** The beginning of a URL that its path comes after. Hosts with variables that have no default are no valid URLs. */
const ORIGIN = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i;

/** Fills in the `{name}` variables of a server URL (OAS 3.1, section 4.8.5). A variable without a default is kept. */
const fillIn = (url: string, variables: unknown): string =>
  url.replace(/\{([^{}]*)\}/g, (written, name: string) =>
    String(ownMember(ownMember(variables, name), 'default') ?? written),
  );

/** The path of a server's URL, without a slash at its end. A relative URL is relative to the contract, at the root. */
const pathOfServer = (server: unknown): string => {
  const url = fillIn(String(ownMember(server, 'url') ?? ''), ownMember(server, 'variables'));
  const path = url.replace(ORIGIN, '');
  const absolute = `http://localhost${path === '' || path.startsWith('/') ? '' : '/'}${path}`;
  return new URL(absolute).pathname.replace(/\/+$/, '');
};

/** The path of the first server of a document, a path item or an operation; `undefined` if none is declared there. */
export const serverPathOf = (holder: unknown): string | undefined => {
  const servers = ownMember(holder, 'servers');
  return Array.isArray(servers) && servers.length > 0 ? pathOfServer(servers[0]) : undefined;
};
