import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getLineColLocation, Source } from '@redocly/openapi-core';
import { pointerTo } from '../../../src/contract/json/pointer.ts';
import type { Sources } from './sources.ts';

/** Where something stands in the files of a contract. */
export interface Place {
  /** The URL of the file. */
  readonly file: string;
  /** RFC 6901. */
  readonly pointer: string;
}

/** A place below another. */
export const below = ({ file, pointer }: Place, ...names: readonly string[]): Place => ({
  file,
  pointer: pointer + pointerTo(...names),
});

/** Makes what tells people a place: `openapi.yaml:212 #/components/schemas/Plant/required`. */
export const createPlaceNames = ({ texts }: Sources) => {
  const sources = new Map(
    [...texts].map(([url, text]) => [url, new Source(fileURLToPath(url), text)] as const),
  );
  return ({ file, pointer }: Place): string => {
    const source = sources.get(file);
    if (!source) return `#${pointer}`;
    const { start } = getLineColLocation({ source, pointer: `#${pointer}`, reportOnKey: true });
    return `${relative('.', source.absoluteRef)}:${start.line} #${pointer}`;
  };
};
