import { essenceOf, mediaKindOf } from '@trellis/openapi/http';
import { isRange } from '../body/media-types.ts';

const BYTES = 'application/octet-stream';

/** What is sent where the contract declares a range only. */
const OF_RANGE: Readonly<Record<string, string>> = {
  '*/*': 'application/json',
  'application/*': 'application/json',
  'text/*': 'text/plain',
  'image/*': 'image/png',
  'audio/*': 'audio/mpeg',
  'video/*': 'video/mp4',
};

/** A media type to send: as it is declared, and as it is called in the reply. */
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
      const ofRange = OF_RANGE[essenceOf(name)] ?? BYTES;
      const isBytes = mediaKindOf(ofRange) === 'json' && isBinary(name);
      const mediaType = isRange(name) ? (isBytes ? BYTES : ofRange) : name;
      return { declared: name, mediaType, isJson: mediaKindOf(mediaType) === 'json' };
    })
    .sort((one, other) => Number(other.isJson) - Number(one.isJson));
