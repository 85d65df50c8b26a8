import { coveringOf, covers, isRange, sampleOf } from '@trellis/openapi/internal/http';
import { ownMember } from '@trellis/openapi/internal/json';
import { parse } from 'content-type';
import { Problem } from '../problems/problem.ts';

/** RFC 9110, section 8.3.1: two tokens. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/;

/** The declared media types in words: a client cannot send a range, so an example of it comes first. */
const listTypes = (declared: readonly string[]): string =>
  declared.map((type) => (isRange(type) ? `${sampleOf(type)} or another ${type}` : type)).join(' or ');

/** Clients send the same few headers over and over. The cache of parsed headers has these limits. */
const MOST_KEPT = 100;
const LONGEST_KEPT = 100;

/**
 * Compiles which of the declared media types a Content-Type means. Throws 415 for the undeclared, and for any charset
 * but UTF-8, the only one in which text is read.
 */
export const createMediaTypes = (declared: readonly string[]) => {
  const refusal = `send Content-Type: ${listTypes(declared)}, in UTF-8`;
  const known = new Map(declared.map((name) => [name, name]));

  return (header: string): string => {
    const kept = known.get(header);
    if (kept !== undefined) return kept;
    const { type, parameters } = parse(header);
    const found = MEDIA_TYPE.test(type) && coveringOf(declared, type);
    const charset = parameters.charset ?? 'utf-8';
    if (!found || !/^utf-8$/i.test(charset)) throw new Problem('unsupportedMediaType', refusal);
    if (known.size < MOST_KEPT && header.length <= LONGEST_KEPT) known.set(header, found);
    return found;
  };
};

/** The media types, or ranges, that an Encoding Object declares for a part; none if it may have any. */
export const encodedTypes = (encoding: unknown): string[] => {
  const declared = ownMember(encoding, 'contentType');
  if (declared === undefined) return [];
  return String(declared)
    .split(',')
    .map((type) => type.trim());
};

/** Whether a part may have a media type, by those that are declared for it. */
export const allowsType = (declared: readonly string[], mediaType: string): boolean =>
  declared.length === 0 || declared.some((type) => covers(type, mediaType));

/** Throws 415 unless the media type of a part is declared for that part. An empty list allows any media type. */
export const checkPartType = (declared: readonly string[], mediaType: string, place: string): void => {
  if (!allowsType(declared, mediaType))
    throw new Problem('unsupportedMediaType', `send ${place} as ${listTypes(declared)}`);
};
