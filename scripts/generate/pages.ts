/** Reads the contract as the service does, and finds the files and lines of what it says. */
import type { BaseResolver, LocationObject } from '@redocly/openapi-core';
import type { Note } from '../../src/contract/document/adapt/note.ts';
import { pageAt } from '../../src/contract/document/files.ts';
import { readDocument, readPage } from '../../src/contract/document/load.ts';
import { CONTRACT } from './place.ts';

/** The contract as the service has it. */
export interface Pages {
  readonly document: unknown;
  readonly notes: readonly Note[];
  readonly files: readonly string[];
  /** The place of what stands at a pointer of the document. */
  readonly locate: (pointer: string) => LocationObject | undefined;
}

/** Reads all files of the contract; throws if it cannot be served. */
export const readPages = async (resolver: BaseResolver): Promise<Pages> => {
  const files: string[] = [];
  const { document, notes } = await readDocument(CONTRACT, (path) => {
    files.push(path);
    return readPage(path);
  });
  const sources = await Promise.all(
    files.map(async (path) => {
      const page = await resolver.resolveDocument(null, path).catch(() => undefined);
      return page && 'source' in page ? page.source : undefined;
    }),
  );
  const locate = (pointer: string): LocationObject | undefined => {
    const page = files.findLastIndex((_, index) => pointer.startsWith(`${pageAt(index)}/`));
    const source = sources[Math.max(page, 0)];
    if (!source) return undefined;
    const within = `#${pointer.slice(pageAt(Math.max(page, 0)).length)}`;
    return {
      source,
      pointer: within === '#' ? '#/' : within,
      reportOnKey: !/\/(?:default|\$ref|pattern)$/.test(within),
    };
  };
  return { document, notes, files, locate };
};
