import { type BodyKind, essenceOf, mediaKindOf } from '@trellis/openapi/internal/http';

/** How the page shows and sends a body: a range is JSON, and what people write is a text. */
export const kindOf = (mediaType: string): BodyKind => {
  const kind = mediaKindOf(mediaType);
  if (kind !== 'binary') return kind === 'xml' ? 'text' : kind;
  const essence = essenceOf(mediaType);
  if (essence === '*/*' || essence === 'application/*') return 'json';
  if (essence.startsWith('multipart/')) return 'multipart';
  return /[/+](?:yaml|javascript|graphql|x-ndjson)$/.test(essence) ? 'text' : 'binary';
};

/** Whether a media type is an image type that every browser shows. */
export const isPicture = (mediaType: string): boolean =>
  /^image\/(?:png|jpeg|gif|webp|avif)$/.test(essenceOf(mediaType));
