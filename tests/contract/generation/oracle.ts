import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject } from './json.ts';
import type { Schema } from './schema.ts';

const INT64_END = 2 ** 63;
const LARGEST_DOUBLE_BELOW_END = INT64_END - 1024;

/** Ajv knows doubles only: an integer that no double holds is moved to one on its own side of int64's ends. */
const toDouble = (value: bigint): number => {
  const double = Number(value);
  if (double === INT64_END && value < double) return LARGEST_DOUBLE_BELOW_END;
  return double === -INT64_END && value < double ? -INT64_END - 2048 : double;
};

const withDoubles = (value: unknown): unknown => {
  if (typeof value === 'bigint') return toDouble(value);
  if (Array.isArray(value)) return value.map(withDoubles);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withDoubles(item)]));
};

/** Judges values by a schema of the document, with nothing of the service in it. */
export const createOracle = (document: object) => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true });
  addFormats.default(ajv);
  ajv.addFormat('int64', {
    type: 'number',
    validate: (value: number) => Number.isInteger(value) && value >= -INT64_END && value < INT64_END,
  });
  const compiled = new WeakMap<object, ValidateFunction>();

  return (schema: Schema, value: unknown): boolean => {
    if (typeof schema === 'boolean') return schema;
    // Beside the rest of the document, so that `#/components/…` leads somewhere.
    const validate = compiled.get(schema) ?? ajv.compile({ ...document, ...schema });
    compiled.set(schema, validate);
    return validate(withDoubles(value));
  };
};
