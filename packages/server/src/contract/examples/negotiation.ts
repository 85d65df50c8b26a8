import { covers, essenceOf, mediaKindOf } from '@trellis/openapi/http';
import { isRange } from '../body/media-types.ts';

/** How much a client wants the media types of a range. */
interface Preference {
  readonly range: string;
  readonly weight: number;
}

/** More ranges than this are not read. */
const MOST_RANGES = 50;

/** RFC 9110, section 12.5.1. What cannot be read is left out. */
const parseAccept = (accept: string): Preference[] =>
  accept
    .split(',', MOST_RANGES)
    .map((entry) => entry.split(';').map((each) => each.trim().toLowerCase()))
    .filter(([range = '']) => range.includes('/'))
    .map(([range = '', ...parameters]) => {
      const weight = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1);
      return { range, weight: weight >= 0 && weight <= 1 ? weight : 0 };
    });

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
}

const BYTES = 'application/octet-stream';

const offerOf = (declared: string, isBinary: boolean): Offer => {
  const sent = isRange(declared) ? (OF_RANGE[essenceOf(declared)] ?? BYTES) : declared;
  return {
    declared,
    mediaType: isBinary && isRange(declared) && mediaKindOf(sent) === 'json' ? BYTES : sent,
  };
};

/**
 * Chooses among the declared media types the one that a client wants most. The first one that is declared wins a tie, but
 * JSON comes first for a client that takes anything. A client that takes none of them gets what it would get without
 * asking (RFC 9110, section 12.5.1 allows that). `isBinary` tells whether the schema of a declared one is about bytes.
 */
export const chooseMediaType = (
  declared: readonly string[],
  accept = '*/*',
  isBinary: (declared: string) => boolean = () => false,
): Offer | undefined => {
  const preferences = parseAccept(accept);
  const offers = declared.map((name) => {
    const offer = offerOf(name, isBinary(name));
    const essence = essenceOf(offer.mediaType);
    const [best] = preferences
      .filter(({ range }) => covers(range, essence))
      .sort(
        (one, other) =>
          Number(one.range.includes('*')) - Number(other.range.includes('*')) ||
          other.range.length - one.range.length,
      );
    const isNamed = best !== undefined && !best.range.includes('*');
    return {
      offer,
      weight: best?.weight ?? 0,
      rank: isNamed || mediaKindOf(offer.mediaType) === 'json' ? 0 : 1,
    };
  });
  return offers.sort((one, other) => other.weight - one.weight || one.rank - other.rank)[0]?.offer;
};
