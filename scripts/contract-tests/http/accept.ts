import { covers } from '../document/media-types.ts';
import { type Operation, responseFor } from '../document/operations.ts';
import { single } from '../exchange/breach.ts';
import { type Attempt, crashOf, isStub, isSuccess, type Sample, withMore } from './attempt.ts';

/** Parameters that may choose the media type of a reply in place of Accept. */
const CHOOSES = /format|type|accept|media|output|download/i;

/** The media types of the successes that have several, which a client chooses from (RFC 9110, section 12.5.1). */
const choicesOf = ({ responses, parameters }: Operation): string[] => {
  if (parameters.some(({ name }) => CHOOSES.test(name))) return [];
  const types = [...responses]
    .filter(([status]) => status.startsWith('2'))
    .map(([, { contents }]) => contents.map(({ mediaType }) => mediaType.split(';', 1).join()))
    .filter((declared) => declared.length > 1 && declared.every((type) => !type.includes('*')));
  return [...new Set(types.flat())];
};

/** Asks for each media type that a success is declared with, and for nothing else: it must be that one. */
export const acceptAttempts = ({ operation, draft }: Sample): Attempt[] =>
  choicesOf(operation).map((type) => ({
    name: `a valid request with Accept ${type}`,
    draft: withMore(draft, 'header', 'Accept', type),
    judge: (answer) => {
      const got = single(answer.headers['content-type']);
      const declared = responseFor(operation, answer.status)?.contents ?? [];
      const isOffered = declared.some(({ mediaType }) => covers(mediaType, type));
      if (answer.status === 406 && !isStub(answer)) return 'a valid request was refused with 406';
      if (!isSuccess(answer) || !isOffered || got === undefined || covers(type, got)) return crashOf(answer);
      return `asked for ${type}, which is declared, got ${got}`;
    },
  }));
