import { relative } from 'node:path';
import { getLineColLocation } from '@redocly/openapi-core/lib/format/codeframes.js';
import { Source } from '@redocly/openapi-core/lib/resolve.js';
import { showUrl } from '@trellis/openapi';
import { pointerTo } from '@trellis/openapi/json';
import type { Sources } from './sources.ts';

/** A place in a contract. */
export interface Place {
  /** The URL of the contract. */
  readonly file: string;
  /** A JSON pointer (RFC 6901) into the contract in one document. */
  readonly pointer: string;
}

/** A place below another. */
export const below = ({ file, pointer }: Place, ...names: readonly string[]): Place => ({
  file,
  pointer: pointer + pointerTo(...names),
});

/** Makes a function that names a place for people, in its file: `openapi.yaml:212 #/components/schemas/Thing/required`. */
export const createPlaceNames = ({ texts, originOf }: Sources) => {
  const sources = new Map([...texts].map(([url, text]) => [url, new Source(showUrl(url), text)] as const));
  return (place: Place): string => {
    const { url, pointer } = originOf(place.pointer);
    const source = sources.get(url);
    if (!source) return `#${pointer}`;
    const { start } = getLineColLocation({ source, pointer: `#${pointer}`, reportOnKey: true });
    const name = url.startsWith('file:') ? relative('.', source.absoluteRef) : url;
    return `${name}:${start.line} #${pointer}`;
  };
};
