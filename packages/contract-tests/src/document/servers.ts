import { isTree, ownMember } from '@trellis/openapi/json';
import type { Sources } from './sources.ts';

const VARIABLE = /\{([^{}]*)\}/g;

/** A server's URL with the defaults of its variables, and without scheme and host. */
const pathIn = (server: unknown): string => {
  const variables = ownMember(server, 'variables');
  const url = String(ownMember(server, 'url')).replace(VARIABLE, (written, name) =>
    String(ownMember(ownMember(variables, name), 'default') ?? written),
  );
  const path = url.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/');
  return new URL(`http://service${path}`).pathname.replace(/\/+$/, '');
};

/** The path of the first server of the first that has any: an operation, its path item, the document. */
export const serverPath = (...holders: readonly unknown[]): string => {
  const [first] = holders.flatMap((holder) => ownMember(holder, 'servers') ?? []);
  return first === undefined ? '' : pathIn(first);
};

/** The address without the path of the server. A URL may already end with the first steps of that path. */
export const rootOf = (url: string, document: unknown): string => {
  const path = serverPath(document);
  const starts = [...path.matchAll(/(?=\/)|$/g)].map(({ index }) => path.slice(0, index));
  const start = starts.findLast((each) => new URL(url).pathname.endsWith(each)) ?? '';
  return url.slice(0, url.length - start.length);
};

/** The contract with its operations under another base path. */
export const moveTo = (basePath: string, sources: Sources): Sources => ({
  ...sources,
  document: { ...(isTree(sources.document) && sources.document), servers: [{ url: basePath }] },
});
