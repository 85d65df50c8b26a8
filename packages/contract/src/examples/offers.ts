import { covers, mediaKindOf, sampleOf } from '@trellis/openapi/internal/http';

const BYTES = 'application/octet-stream';

/** A media type to send: its declared name, and its name in the reply. */
export interface Offer {
  readonly declared: string;
  readonly mediaType: string;
  readonly isJson: boolean;
}

/**
 * What can be sent of the declared media types, JSON first: a client that takes anything gets that. `isBinary` tells
 * whether the schema of a declared one is about bytes.
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
