/** A text as a literal of TypeScript: with single quotes, unless the text holds one or needs escapes. */
export const quote = (text: string): string => {
  const quoted = JSON.stringify(text);
  return /['\\]/.test(quoted) ? quoted : `'${quoted.slice(1, -1)}'`;
};
