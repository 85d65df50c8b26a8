/** Reads the contract as the service does, and finds the files and lines of what it says. */
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { getLineColLocation, type LocationObject, Source } from '@redocly/openapi-core';
import { type Files, readFiles, readLocal } from '@trellis/openapi';

/** The contract of the project in the current folder. */
export const CONTRACT = resolve('openapi.yaml');

/** The URL of the contract. */
export const CONTRACT_URL = pathToFileURL(CONTRACT).href;

/** A place as editors read it: file, line and column. */
export const at = (place: LocationObject): string => {
  // Redocly decodes percent signs that it has not encoded.
  const pointer = place.pointer?.replaceAll('%', '%25');
  const { source, start } = getLineColLocation({ ...place, ...(pointer !== undefined && { pointer }) });
  return `${relative('.', source.absoluteRef)}:${start.line}:${start.col}`;
};

/** The contract in one document, as it was written. */
export interface Pages extends Files {
  /** The place of what stands at a pointer of the document. */
  readonly locate: (pointer: string) => LocationObject | undefined;
}

/** Reads all files of the contract; throws if one of them is not valid. `opened` is told their paths. */
export const readPages = async (opened: (path: string) => void): Promise<Pages> => {
  const files = await readFiles(CONTRACT, (url) => {
    opened(fileURLToPath(url));
    return readLocal(url);
  });
  const sources = new Map([...files.texts].map(([url, text]) => [url, new Source(fileURLToPath(url), text)]));
  const locate = (at: string): LocationObject | undefined => {
    const { url, pointer } = files.bundle.originOf(at);
    const source = sources.get(url);
    return (
      source && {
        source,
        pointer: pointer === '' ? '#/' : `#${pointer}`,
        reportOnKey: !/\/(?:default|\$ref|pattern)$/.test(pointer),
      }
    );
  };
  return { ...files, locate };
};
