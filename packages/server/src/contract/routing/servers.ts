import { rewriteSchemas } from '@trellis/openapi/document';
import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import type { Document } from 'openapi-backend';

/** The beginning of a URL that its path comes after. Hosts with variables that have no default are no valid URLs. */
const ORIGIN = /^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i;

/** OAS 3.1, section 4.8.5: `{name}` stands for a variable. One without a default stays as it is written. */
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

/** The path of the first server; `undefined` if none is declared here. */
const declaredBy = (holder: unknown): string | undefined => {
  const servers = ownMember(holder, 'servers');
  return Array.isArray(servers) && servers.length > 0 ? pathOfServer(servers[0]) : undefined;
};

/** A document whose operations are at a path, wherever its own servers are; the same document without a path. */
export const withBasePath = (document: Document, basePath: string | undefined): Document =>
  basePath === undefined ? document : { ...document, servers: [{ url: basePath }] };

/** The path that the operations of a document are under, as in a URL: `/v1`, or nothing at the root. */
export const basePathOf = (document: unknown): string => declaredBy(document) ?? '';

/**
 * Gives the path that an operation is under, as in a URL. Servers of an operation replace those of its path item, and
 * these replace those of the document (OAS 3.1, sections 4.8.9.1 and 4.8.10.1). The first of several counts.
 */
export const createServerPaths = (document: unknown) => {
  const root = basePathOf(document);
  return (path: string, method: string): string => {
    const item = valueAt(document, followRefs(document, pointerTo('paths', path)));
    return declaredBy(ownMember(item, method.toLowerCase())) ?? declaredBy(item) ?? root;
  };
};

/** Where path items and their operations stand. */
const HOLDER = /^\/(?:paths|components\/pathItems)\/[^/]+(?:\/[^/]+)?$/;

/** Copies a document, with other servers in place of each list of them, made from the path of the first. */
export const replaceServers = (document: Document, serversAt: (path: string) => object[]): unknown =>
  rewriteSchemas(document, (object, pointer) => {
    if (pointer === '') return { ...object, servers: serversAt(basePathOf(document)) };
    const path = HOLDER.test(pointer) ? declaredBy(object) : undefined;
    return path === undefined ? object : { ...object, servers: serversAt(path) };
  });
