/**
 * Control characters, which can move a cursor, clear a screen or begin another line; and what changes the direction of
 * the text around it (Unicode Standard Annex 9, section 2).
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The beginning of a text, up to a length, with all characters escaped that could forge a log or harm a terminal. */
export const safeText = (text: string, longest: number): string =>
  (text.length > longest ? `${text.slice(0, longest)}…` : text).replace(UNSAFE, escapeCharacter);
