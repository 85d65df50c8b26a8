/** A terminal interprets these before the shell sees the quotes: after ^C, the rest of a pasted text would run. */
const CONTROL = /[^\P{Cc}\n]/u;

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Quotes a text for a shell: for any POSIX shell, unless it holds control characters, which need `$'…'`. */
export const shellQuote = (text: string): string => {
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${text.replaceAll(/[\\']/g, '\\$&').replaceAll(/\p{Cc}/gu, toEscape)}'`;
};
