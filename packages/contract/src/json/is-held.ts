import { compareDecimals, parseDecimal } from '@trellis/openapi/internal/json';

/**
 * Whether a double holds the number that was sent as a text: it is neither too large nor too small, nor an integer beyond
 * 2^53 that the double rounds. A fraction is the nearest double, as everywhere.
 */
export const isHeld = (value: number, text: string): boolean => {
  if (value === 0) return !/^[^eE]*[1-9]/.test(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
  const [sent, held] = [parseDecimal(text), parseDecimal(String(value))];
  return sent !== undefined && held !== undefined && compareDecimals(sent, held) === 0;
};
