import { relative } from 'node:path';
import { getLineColLocation } from '@redocly/openapi-core/lib/format/codeframes.js';
import { Source } from '@redocly/openapi-core/lib/resolve.js';
import { showUrl } from '@trellis/openapi';
import type { Sources } from './sources.ts';

/** Makes a function that names a place of the contract in its file: `openapi.yaml:212 #/components/schemas/Thing/required`. */
export const createPlaceNames = ({ texts, originOf }: Sources) => {
  const sources = new Map([...texts].map(([url, text]) => [url, new Source(showUrl(url), text)] as const));
  return (at: string): string => {
    const { url, pointer } = originOf(at);
    const source = sources.get(url);
    if (!source) return `#${pointer}`;
    const { start } = getLineColLocation({ source, pointer: `#${pointer}`, reportOnKey: true });
    const name = url.startsWith('file:') ? relative('.', source.absoluteRef) : url;
    return `${name}:${start.line} #${pointer}`;
  };
};
