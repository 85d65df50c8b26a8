import { bodyKindOf, coveringOf, essenceOf, isRange } from '@trellis/openapi/internal/http';
import type { Content, Kind } from './operation.ts';

/** The media type of JSON. */
export const JSON_TYPE = 'application/json';

/** How a body is read and written. Where the contract declares a range, the media type decides; a form is bytes then. */
export const kindOf = ({ as }: Content, mediaType: string): Exclude<Kind, 'range'> => {
  if (as !== 'range') return as;
  const kind = bodyKindOf(mediaType);
  return kind === 'json' || kind === 'text' ? kind : 'bytes';
};

/** The declared content that covers a media type, the most specific first; `mediaType` is its name in the contract. */
export const contentOf = (
  contents: Readonly<Record<string, Content>>,
  mediaType: string,
): { readonly content: Content; readonly mediaType: string } | undefined => {
  const name = coveringOf(Object.keys(contents), mediaType);
  const content = name === undefined ? undefined : contents[name];
  if (name === undefined || !content) return undefined;
  return { content, mediaType: isRange(name) ? essenceOf(mediaType) : name };
};
