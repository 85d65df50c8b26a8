import { createHash } from 'node:crypto';
import { UNSTORABLE } from './event.ts';

/** Ends the identity of a receiver, which comes before the key. */
const SEPARATOR = '\u001f';
const IDENTITY_LENGTH = 16;
/** Length of the prefix that all keys of a receiver have. */
export const PREFIX_LENGTH = IDENTITY_LENGTH + SEPARATOR.length;
/** An index of PostgreSQL takes no more than 2,704 bytes. */
const LONGEST_KEY = 500;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Writes the key and the receiver of an event as one text. A key that no index can hold is replaced by its hash. */
export const toStoredKey = (key: string, receiver: string | undefined): string => {
  const isFit = key.length <= LONGEST_KEY && !UNSTORABLE.test(key) && !key.includes(SEPARATOR);
  const stored = isFit ? key : `sha256:${hashOf(key)}`;
  return receiver === undefined ? stored : hashOf(receiver).slice(0, IDENTITY_LENGTH) + SEPARATOR + stored;
};

/** Prefix of all keys of the receiver; `undefined` if the event has no receiver. */
export const receiverIn = (stored: string): string | undefined =>
  stored[IDENTITY_LENGTH] === SEPARATOR ? stored.slice(0, PREFIX_LENGTH) : undefined;

/** The key that an event was added with, or its hash. */
export const keyIn = (stored: string): string =>
  receiverIn(stored) === undefined ? stored : stored.slice(PREFIX_LENGTH);
