/** How a body is encoded. */
export type Kind = 'json' | 'text' | 'form' | 'multipart' | 'xml' | 'binary';

const essenceOf = (mediaType: string): string => mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** The encoding of a media type, by its name (RFC 6839 for `+json` and `+xml`). */
export const kindOf = (mediaType: string): Kind => {
  const [, subtype = ''] = essenceOf(mediaType).split('/');
  if (subtype === 'json' || subtype.endsWith('+json')) return 'json';
  if (subtype === 'xml' || subtype.endsWith('+xml')) return 'xml';
  if (subtype === 'x-www-form-urlencoded') return 'form';
  if (subtype === 'form-data') return 'multipart';
  return mediaType.startsWith('text/') ? 'text' : 'binary';
};

/** Whether a declared media type or range covers one that was sent. */
export const covers = (declared: string, sent: string): boolean => {
  const [range, essence] = [essenceOf(declared), essenceOf(sent)];
  if (range === essence || range === '*/*') return true;
  return range.endsWith('/*') && essence.startsWith(range.slice(0, -1));
};

/** One media type of a range, to send a body with. */
export const memberOfRange = (range: string): string => {
  if (!range.includes('*')) return range;
  const [type = '*'] = range.split('/');
  return type === '*' ? 'application/octet-stream' : type === 'image' ? 'image/png' : `${type}/plain`;
};
