import { serverPathOf } from '@trellis/openapi/internal/document';
import { isTree } from '@trellis/openapi/internal/json';
import type { Sources } from './sources.ts';

/** Removes the path of the server from a URL, which may end with the first segments of that path. */
export const rootOf = (url: string, document: unknown): string => {
  const path = serverPathOf(document) ?? '';
  const starts = [...path.matchAll(/(?=\/)|$/g)].map(({ index }) => path.slice(0, index));
  const start = starts.findLast((each) => new URL(url).pathname.endsWith(each)) ?? '';
  return url.slice(0, url.length - start.length);
};

/** The contract under another base path. */
export const moveTo = (basePath: string, sources: Sources): Sources => ({
  ...sources,
  document: { ...(isTree(sources.document) && sources.document), servers: [{ url: basePath }] },
});
