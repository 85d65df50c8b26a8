/** How a body is encoded. XML is separate from text: it is not generated from a schema. */
export type MediaKind = 'json' | 'xml' | 'form' | 'multipart' | 'text' | 'binary';

/** How a body reaches handlers and callers of the client. */
export type BodyKind = Exclude<MediaKind, 'xml'>;

/** A media type without its parameters, in lower case. */
export const essenceOf = (mediaType: string): string =>
  (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();

/** The encoding of a media type, by its name (RFC 6839 for `+json` and `+xml`). */
export const mediaKindOf = (mediaType: string): MediaKind => {
  const essence = essenceOf(mediaType);
  if (/\/(?:.*\+)?json$/.test(essence)) return 'json';
  if (/\/(?:.*\+)?xml$/.test(essence)) return 'xml';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  if (essence === 'multipart/form-data') return 'multipart';
  return essence.startsWith('text/') ? 'text' : 'binary';
};

/** How a body of a media type reaches handlers. XML is not parsed: `text/xml` is a text, `application/xml` is bytes. */
export const bodyKindOf = (mediaType: string): BodyKind => {
  const kind = mediaKindOf(mediaType);
  if (kind !== 'xml') return kind;
  return essenceOf(mediaType).startsWith('text/') ? 'text' : 'binary';
};

/** Whether a declared media type is a range, such as `image/*` or `application/*+json`. */
export const isRange = (mediaType: string): boolean => mediaType.includes('*');

/** Whether a declared media type, or a range, covers one that was sent. */
export const covers = (declared: string, sent: string): boolean => {
  const [range, essence] = [essenceOf(declared), essenceOf(sent)];
  if (range === essence || range === '*/*') return true;
  const [before = '', after] = range.split('*');
  if (after === undefined || essence.length <= before.length + after.length) return false;
  return essence.startsWith(before) && essence.endsWith(after);
};

/** How specific a declared media type is, the most specific first: `a/b`, `a/*+b`, `a/*`, any type. */
const rankOf = (range: string): number => {
  if (!isRange(range)) return 0;
  return range.startsWith('*/') ? 3 : range.endsWith('/*') ? 2 : 1;
};

/** The most specific of the declared media types that cover one that was sent; `undefined` if none does. */
export const coveringOf = (declared: readonly string[], sent: string): string | undefined =>
  declared.filter((each) => covers(each, sent)).sort((one, other) => rankOf(one) - rankOf(other))[0];

const SAMPLES: Readonly<Record<string, string>> = {
  '*/*': 'application/json',
  'application/*': 'application/json',
  'text/*': 'text/plain',
  'image/*': 'image/png',
  'audio/*': 'audio/mpeg',
  'video/*': 'video/mp4',
  'multipart/*': 'multipart/mixed',
};

/** A media type within a range; a media type that is not a range is returned unchanged. */
export const sampleOf = (range: string): string =>
  SAMPLES[essenceOf(range)] ?? range.replace('*', 'vnd.example');

/** The framing of a sequential media type (OAS 3.2, section 4.14.2). */
export type SequenceKind = 'events' | 'lines' | 'records';

/** The kind of a sequential media type, whose items can be sent one by one; `undefined` for any other. */
export const sequenceKindOf = (mediaType: string): SequenceKind | undefined => {
  const essence = essenceOf(mediaType);
  if (essence === 'text/event-stream') return 'events';
  if (/^application\/(?:jsonl|x-jsonl|jsonlines|x-jsonlines|ndjson|x-ndjson)$/.test(essence)) return 'lines';
  return /^application\/(?:json-seq|[^/]+\+json-seq)$/.test(essence) ? 'records' : undefined;
};

/**
 * Whether the parts of a multipart media type are known by their position (OAS 3.2, Encoding By Position), and not by
 * names.
 */
export const hasPositions = (mediaType: string): boolean =>
  /^multipart\/(?!form-data$|\*)/.test(essenceOf(mediaType));
