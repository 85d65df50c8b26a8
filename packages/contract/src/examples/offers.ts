import { covers, mediaKindOf, sampleOf } from '@trellis/openapi/internal/http';

const BYTES = 'application/octet-stream';

/** A media type to send: its declared name, and its name in the reply. */
export interface Offer {
  readonly declared: string;
  readonly mediaType: string;
  readonly isJson: boolean;
}

/**
 * Returns the media types that a reply can have, JSON first: a client that accepts anything gets JSON. `isBinary`
 * returns whether the schema of a declared media type describes bytes.
 */
export const offersOf = (declared: readonly string[], isBinary: (declared: string) => boolean): Offer[] =>
  declared
    .map((name): Offer => {
      const sample = sampleOf(name);
      const isBytes = sample !== name && covers(name, BYTES) && isBinary(name);
      const mediaType = isBytes ? BYTES : sample;
      return { declared: name, mediaType, isJson: mediaKindOf(mediaType) === 'json' };
    })
    .sort((one, other) => Number(other.isJson) - Number(one.isJson));
