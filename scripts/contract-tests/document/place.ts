import { relative } from 'node:path';
import { getLineColLocation } from '@redocly/openapi-core/lib/format/codeframes.js';
import { Source } from '@redocly/openapi-core/lib/resolve.js';
import { pointerTo } from '../../../src/contract/json/pointer.ts';
import { type Sources, showUrl } from './sources.ts';

/** A place in the files of a contract. */
export interface Place {
  /** The URL of the file. */
  readonly file: string;
  /** A JSON pointer (RFC 6901). */
  readonly pointer: string;
}

/** A place below another. */
export const below = ({ file, pointer }: Place, ...names: readonly string[]): Place => ({
  file,
  pointer: pointer + pointerTo(...names),
});

/** Makes a function that names a place for people: `openapi.yaml:212 #/components/schemas/Thing/required`. */
export const createPlaceNames = ({ texts }: Sources) => {
  const sources = new Map([...texts].map(([url, text]) => [url, new Source(showUrl(url), text)] as const));
  return ({ file, pointer }: Place): string => {
    const source = sources.get(file);
    if (!source) return `#${pointer}`;
    const { start } = getLineColLocation({ source, pointer: `#${pointer}`, reportOnKey: true });
    const name = file.startsWith('file:') ? relative('.', source.absoluteRef) : file;
    return `${name}:${start.line} #${pointer}`;
  };
};
