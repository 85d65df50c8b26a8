import { ownMember } from '@trellis/openapi/json';
import { isObject } from '../values/json.ts';
import type { ExactOf } from './exact-keywords.ts';

/** The first integer beyond int64. */
export const INT64_END = 2 ** 63;

/** Ajv checks formats of doubles only: an integer near the ends of int64 becomes a double on the same side of them. */
const toDouble = (value: bigint): number => {
  const double = Number(value);
  if (double === INT64_END && value < double) return INT64_END - 1024;
  return double === -INT64_END && value < double ? -INT64_END - 2048 : double;
};

/** Copies what has bigints for Ajv, which does not know them, and finds the original of a copy. */
export const createDoubles = () => {
  const exacts = new WeakMap<object, unknown>();
  const original = (value: object): unknown => exacts.get(value) ?? value;

  const toDoubles = (value: unknown): unknown => {
    if (typeof value === 'bigint') return toDouble(value);
    if (Array.isArray(value)) return listOf(value);
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, item]) => [name, toDoubles(item)] as const);
    if (entries.every(([name, double]) => double === value[name])) return value;
    const copy = Object.fromEntries(entries);
    exacts.set(copy, value);
    return copy;
  };
  const listOf = (values: readonly unknown[]): readonly unknown[] => {
    const copy = values.map(toDoubles);
    if (copy.every((item, index) => item === values[index])) return values;
    exacts.set(copy, values);
    return copy;
  };

  /** A number is found by the object or array that holds it. */
  const exactOf: ExactOf = (value, context) => {
    if (typeof value !== 'number') return isObject(value) || Array.isArray(value) ? original(value) : value;
    return context ? ownMember(original(context.parentData), `${context.parentDataProperty}`) : value;
  };

  return { listOf, exactOf };
};
