import type { Pointer } from '../document/operations.ts';
import type { Complaint } from '../oracle/oracle.ts';

/** What is wrong with an answer, and which place of the contract it breaks. */
export interface Breach {
  readonly what: string;
  readonly at: Pointer;
}

/** The first few different complaints in one line. */
export const list = (complaints: readonly Complaint[], of: string): string =>
  [...new Set(complaints.map(({ message }) => `${of}${message.startsWith('/') ? '' : ' '}${message}`))]
    .slice(0, 5)
    .join('; ');

/** A header field as one text, even if it was sent several times. */
export const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;
