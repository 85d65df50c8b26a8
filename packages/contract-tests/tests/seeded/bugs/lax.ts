import type { Check } from '../service/checks.ts';
import type { OperationId } from '../service/routes.ts';
import type { Bug } from '../service/variant.ts';

/** Takes everything. */
export const ANY: Check = () => true;

/** One check of an operation is another one, or none at all. */
export const lax = (operation: OperationId, name: string, check: Check = ANY): Bug => ({
  names: [operation],
  checks: { [name]: check },
});

/** Takes the texts that a pattern matches. */
export const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value !== 'string' || pattern.test(value);

/** Takes integers, and texts that a pattern matches. */
export const isLikeInteger =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'bigint' || (typeof value === 'string' && pattern.test(value));

/** Takes a few words in any case. */
export const isOneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(String(value).toLowerCase());

/** Takes what `Date.parse` takes. */
export const isDateForJavaScript: Check = (value) => !Number.isNaN(Date.parse(String(value)));
