/** Reads the contract like the service, and finds the file and line of any pointer. */
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { getLineColLocation, type LocationObject, Source } from '@redocly/openapi-core';
import { type Files, readFiles, readLocal } from '@trellis/openapi/internal/files';

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

/** The contract in one document, before it is adapted. */
export interface Pages extends Files {
  /** Finds the place of a pointer of the document. */
  readonly locate: (pointer: string) => LocationObject | undefined;
}

/** Reads all files of the contract; throws if a file is not valid. `opened` is called with each path. */
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
