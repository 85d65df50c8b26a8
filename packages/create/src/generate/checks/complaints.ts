/** Formats findings about a contract as lines. Many complaints of one kind become one line with their count. */
import type { LocationObject } from '@redocly/openapi-core';
import { getOrInsert } from '@trellis/openapi/internal/json';
import { at } from '../pages.ts';

/** Something that is wrong with the contract. */
export interface Complaint {
  readonly place: LocationObject | undefined;
  /** The subject, such as `GET /things`; empty if the place is enough. */
  readonly subject: string;
  /** The fault and the remedy. The same for all complaints of a kind. */
  readonly message: string;
}

/** A fault at a pointer of the contract. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/** Escapes control characters and line breaks, which names in a contract may hold. */
export const toLine = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Formats a suggestion to put after a wrong name; empty if there is no similar name. */
export const didYouMean = (name: string | undefined): string =>
  name === undefined ? '' : ` (did you mean \`${name}\`?)`;

/** The number of complaints of a kind that get separate lines. Beyond it, only the first few are named. */
const MOST_LINES = 3;
const MOST_NAMED = 10;

const lineOf = ({ place, subject, message }: Complaint): string =>
  [place ? at(place) : '', subject, message].filter(Boolean).join(' ');

/** One line for complaints of one kind. */
const summarize = (first: Complaint, all: readonly Complaint[]): string => {
  const names = all.slice(0, MOST_NAMED).map(({ place, subject }) => subject || (place ? at(place) : ''));
  const named = [...new Set(names)].filter(Boolean).join(', ');
  const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : '';
  const place = first.place ? `${at(first.place)} ` : '';
  return `${place}${all.length} times: ${first.message} (${named}${more})`;
};

/** A key for equal complaints at the same place: a part of a file may be in the document twice. */
const complaintKey = ({ place, subject, message }: Complaint): string =>
  JSON.stringify([place?.source.absoluteRef, place?.pointer, subject, message]);

/** A line for each complaint, or for all of a kind if they are many. Only places that are shown are looked up. */
export const renderComplaints = (complaints: readonly Complaint[]): string[] => {
  const kinds = new Map<string, Complaint[]>();
  for (const complaint of new Map(complaints.map((each) => [complaintKey(each), each])).values())
    getOrInsert(kinds, complaint.message, () => []).push(complaint);
  return [...kinds.values()]
    .flatMap((all) => {
      const [first] = all;
      return first && all.length > MOST_LINES ? [summarize(first, all)] : all.map(lineOf);
    })
    .map(toLine);
};
