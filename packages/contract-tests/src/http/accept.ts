import type { Operation } from '../document/operations.ts';

/** Parameters that may choose the media type of a reply in place of Accept. */
const CHOOSES = /format|type|accept|media|output|download/i;

/** The media types of the successes that have several, which a client chooses from (RFC 9110, section 12.5.1). */
export const acceptChoicesOf = ({ replies, parameters }: Operation): string[] => {
  if (parameters.some(({ name }) => CHOOSES.test(name))) return [];
  const types = [...replies]
    .filter(([status]) => status.startsWith('2'))
    .map(([, { contents }]) => contents.map(({ mediaType }) => mediaType.split(';', 1).join()))
    .filter((declared) => declared.length > 1 && declared.every((type) => !type.includes('*')));
  return [...new Set(types.flat())];
};
