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

/** A declared response: its key, and the status to send for it. */
interface ChosenStatus {
  readonly key: string;
  readonly status: number;
}

/** The status to send for a range. For `5XX` it is 501, because a stub is not implemented. */
const STATUS_OF_RANGE: Readonly<Record<string, number>> = { '2XX': 200, '3XX': 302, '4XX': 400, '5XX': 501 };

/** A final status: 1xx only announces another reply (RFC 9110, section 15.2). */
const FINAL = /^[2-5](?:\d\d|XX)$/;

/**
 * Chooses the lowest declared success, else the default, else the lowest status; `undefined` if nothing is declared.
 */
export const chooseStatus = (declared: readonly string[]): ChosenStatus | undefined => {
  const statuses = declared
    .filter((key) => FINAL.test(key))
    .map((key) => ({ key, status: STATUS_OF_RANGE[key] ?? Number(key) }))
    .sort((one, other) => one.status - other.status);
  const success = statuses.find(({ status }) => status < 300);
  const fallback = declared.includes('default') ? { key: 'default', status: 200 } : statuses[0];
  return success ?? fallback;
};
