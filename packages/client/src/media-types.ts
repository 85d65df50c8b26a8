import type { Content, Kind } from './operation.ts';

/** The media type of JSON. */
export const JSON_TYPE = 'application/json';

/** A media type without its parameters, in lower case. */
const essenceOf = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** What a media type is, by its name (RFC 6839 for `+json`); for those that the contract declares as a range. */
export const kindOf = (mediaType: string): Exclude<Kind, 'range'> => {
  const essence = essenceOf(mediaType);
  if (/^[^/]+\/(?:[^/]+\+)?json$/.test(essence)) return 'json';
  return essence.startsWith('text/') ? 'text' : 'bytes';
};

/** The declared content that covers a media type, the most specific first; `mediaType` is its name in the contract. */
export const contentOf = (
  contents: Readonly<Record<string, Content>>,
  mediaType: string,
): { readonly content: Content; readonly mediaType: string } | undefined => {
  const essence = essenceOf(mediaType);
  const declared = Object.entries(contents);
  for (const wanted of [essence, essence.replace(/\/.*/, '/*'), '*/*']) {
    const [name, content] = declared.find(([each]) => essenceOf(each) === wanted) ?? [];
    if (name !== undefined && content) return { content, mediaType: name.includes('*') ? essence : name };
  }
  return undefined;
};
