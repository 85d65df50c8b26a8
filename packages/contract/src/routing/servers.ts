import {
  allOperations,
  type Document,
  rewriteSchemas,
  serverPathOf,
} from '@trellis/openapi/internal/document';
import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/internal/json';

/** A document whose operations are at a path, wherever its own servers are; the same document without a path. */
export const withBasePath = (document: Document, basePath: string | undefined): Document =>
  basePath === undefined ? document : { ...document, servers: [{ url: basePath }] };

/** The path that the operations of a document are under, as in a URL: `/v1`, or nothing at the root. */
export const basePathOf = (document: unknown): string => serverPathOf(document) ?? '';

/**
 * Creates a lookup of the URL path that an operation is served under. Servers of an operation replace the servers of
 * its path item, which replace the servers of the document (OAS 3.1, sections 4.8.9.1 and 4.8.10.1). The first server
 * counts.
 */
export const createServerPaths = (document: unknown) => {
  const root = basePathOf(document);
  return (path: string, method: string): string => {
    const item = valueAt(document, followRefs(document, pointerTo('paths', path)));
    return serverPathOf(ownMember(item, method.toLowerCase())) ?? serverPathOf(item) ?? root;
  };
};

/** The paths that the operations of a document are below, each once: `/v1`. */
export const basePathsOf = (document: unknown): string[] => {
  const pathFor = createServerPaths(document);
  return [...new Set(allOperations(document).map(({ path, method }) => pathFor(path, method)))];
};

/** Pointers of path items and their operations. */
const HOLDER = /^\/(?:paths|components\/pathItems)\/[^/]+(?:\/[^/]+)?$/;

/** Copies a document, with other servers in place of each list of them, made from the path of the first. */
export const replaceServers = (document: Document, serversAt: (path: string) => object[]): unknown =>
  rewriteSchemas(document, (object, pointer) => {
    if (pointer === '') return { ...object, servers: serversAt(basePathOf(document)) };
    const path = HOLDER.test(pointer) ? serverPathOf(object) : undefined;
    return path === undefined ? object : { ...object, servers: serversAt(path) };
  });
