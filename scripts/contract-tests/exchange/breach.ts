import type { Place } from '../document/place.ts';
import type { Complaint } from '../oracle/oracle.ts';

/** What is wrong with an answer, and the place of the contract that it breaks. */
export interface Breach {
  readonly what: string;
  readonly at: Place;
}

/** What is wrong, in a line: the first few complaints, each once. */
export const list = (complaints: readonly Complaint[], of: string): string =>
  [...new Set(complaints.map(({ message }) => `${of}${message.startsWith('/') ? '' : ' '}${message}`))]
    .slice(0, 5)
    .join('; ');

/** A header field as one text, however often it was sent. */
export const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
