/** Reads a whole number from an option; throws with the range if it is not in there. */
export const readCount = (name: string, text: string, least = 1, most = Number.MAX_SAFE_INTEGER): number => {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= least && count <= most) return count;
  const range = most === Number.MAX_SAFE_INTEGER ? `above ${least - 1}` : `from ${least} to ${most}`;
  throw new Error(`--${name} must be a whole number ${range}, not "${text}"`);
};
