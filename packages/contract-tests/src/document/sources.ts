import { readContract } from '@trellis/openapi';
import { type Location, serverPathOf } from '@trellis/openapi/internal/document';
import { type ReadText, readLocal, showUrl } from '@trellis/openapi/internal/files';
import { codeOf, isTree } from '@trellis/openapi/internal/json';

/** A contract read from its files, as one document of OpenAPI 3.1. */
export interface Sources {
  readonly document: unknown;
  /** The file and pointer that a pointer of the document was read from. */
  readonly originOf: (pointer: string) => Location;
  /** The texts of its files by URL; empty for a document that was never a file. */
  readonly texts: ReadonlyMap<string, string>;
  /** One line for each operation that is not tested, with the reason. */
  readonly leftOut: readonly string[];
}

/**
 * Reads a contract and all files that it refers to, with the reader of the service and of `npm run generate`, so that all
 * agree on the operations. The code that judges requests and replies is separate.
 */
export const readSources = async (place: string, readText: ReadText = readLocal): Promise<Sources> => {
  const fail = (url: string, from: string, reason: string): never => {
    throw new Error(`${showUrl(url)}, which ${from} names, cannot be read (${reason})`);
  };
  let isFirst = true;
  const { document, bundle, notes, texts, missing } = await readContract(place, (url) => {
    if (!isFirst) return readText(url);
    isFirst = false;
    return readText(url).catch((error) => fail(url, 'the command', codeOf(error) || error.message));
  });
  for (const { url, from, reason } of missing) fail(url, showUrl(from), reason);
  const leftOut = notes.flatMap(({ subject, message }) =>
    message.startsWith('is left out')
      ? [`${subject} is not tested: ${message.replace('is left out: ', '')}`]
      : [],
  );
  return { document, originOf: bundle.originOf, texts, leftOut };
};

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
