/** How the page shows and sends a body. */
export type Kind = 'json' | 'form' | 'multipart' | 'text' | 'bytes';

/** A media type without its parameters, in lower case. */
const essenceOf = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** What a media type is, by its name (RFC 6839 for `+json` and `+xml`). */
export const kindOf = (mediaType: string): Kind => {
  const essence = essenceOf(mediaType);
  if (/^[^/]+\/(?:[^/]+\+)?json$/.test(essence) || essence === '*/*' || essence === 'application/*')
    return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  if (essence.startsWith('multipart/')) return 'multipart';
  return /^text\/|[/+](?:xml|yaml|javascript|graphql|x-ndjson)$/.test(essence) ? 'text' : 'bytes';
};

/** Whether a media type is that of a picture which every browser shows. */
export const isPicture = (mediaType: string): boolean =>
  /^image\/(?:png|jpeg|gif|webp|avif)$/.test(essenceOf(mediaType));
