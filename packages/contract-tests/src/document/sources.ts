import { type ReadText, readContract, readLocal, showUrl } from '@trellis/openapi';
import { type Spot, withPointers } from '@trellis/openapi/document';
import { codeOf } from '@trellis/openapi/json';

/** A contract as it was read, in one document of OpenAPI 3.1. */
export interface Sources {
  readonly document: unknown;
  /** Where that which stands at a pointer of the document was read. */
  readonly originOf: (pointer: string) => Spot;
  /** The texts of its files by their URLs; empty for a document that was never a file. */
  readonly texts: ReadonlyMap<string, string>;
  /** The operations that are not tested, each with the reason. */
  readonly leftOut: readonly string[];
}

/**
 * Reads a contract and all the files that it refers to, with the reader that the service and `npm run generate` use too:
 * it decides which operations there are. What a request or a reply must be is decided here, by other code.
 */
export const readSources = async (place: string, readText: ReadText = readLocal): Promise<Sources> => {
  const refuse = (url: string, from: string, reason: string): never => {
    throw new Error(`${showUrl(url)}, which ${from} names, cannot be read (${reason})`);
  };
  let isFirst = true;
  const { document, bundle, notes, texts, missing } = await readContract(place, (url) => {
    if (!isFirst) return readText(url);
    isFirst = false;
    return readText(url).catch((error) => refuse(url, 'the command', codeOf(error) || error.message));
  });
  for (const { url, from, reason } of missing) refuse(url, showUrl(from), reason);
  const leftOut = notes.flatMap(({ subject, message }) =>
    message.startsWith('is left out')
      ? [`${subject} is not tested: ${message.replace('is left out: ', '')}`]
      : [],
  );
  return { document, originOf: bundle.originOf, texts, leftOut };
};

/** The sources of a document that is in memory and complete. */
export const sourcesOf = (document: object): Sources => ({
  document: withPointers(document),
  originOf: (pointer) => ({ url: '', pointer }),
  texts: new Map(),
  leftOut: [],
});
