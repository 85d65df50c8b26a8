import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { below, type Place } from '../document/place.ts';
import type { View } from '../document/view.ts';
import { isObject } from './json.ts';
import type { Schema } from './schema.ts';

/** What a schema has against a value. */
export interface Complaint {
  readonly message: string;
  /** The keyword that complains; nothing where it stands in no file. */
  readonly place: Place | undefined;
}

const INT64_END = 2 ** 63;
const LARGEST_DOUBLE_BELOW_END = INT64_END - 1024;

/** Ajv knows doubles only: an integer that no double holds is moved to one on its own side of int64's ends. */
export const toDouble = (value: bigint): number => {
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

const UNIONS = ['oneOf', 'anyOf'];

const describe = ({ instancePath, message = 'is not valid', params }: ErrorObject): string => {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return `${instancePath} ${message}${detail === undefined ? '' : `: ${JSON.stringify(detail)}`}`.trim();
};

/** Judges values by the schemas of a contract, with nothing of the service in it. */
export const createOracle = ({ trees, placeOf }: Pick<View, 'trees' | 'placeOf'>) => {
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    allErrors: true,
    verbose: true,
    validateSchema: false,
    logger: false,
  });
  addFormats.default(ajv);
  ajv.addFormat('int64', {
    type: 'number',
    validate: (value: number) => Number.isInteger(value) && value >= -INT64_END && value < INT64_END,
  });
  for (const [url, tree] of trees) if (isObject(tree)) ajv.addSchema(tree, url);

  const compiled = new WeakMap<object, ValidateFunction>();
  const compile = (schema: object): ValidateFunction => {
    const validate = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, validate);
    return validate;
  };

  /** Whether the schema accepts a value. */
  const accepts = (schema: Schema, value: unknown): boolean =>
    typeof schema === 'boolean' ? schema : compile(schema)(withDoubles(value));

  /** What the schema has against a value; where it is a union, that goes first: its branches all complain. */
  const complaintsOf = (schema: Schema, value: unknown): Complaint[] => {
    if (typeof schema === 'boolean') return schema ? [] : [{ message: 'is not allowed', place: undefined }];
    const validate = compile(schema);
    if (validate(withDoubles(value))) return [];
    const errors = validate.errors ?? [];
    const unions = errors.filter(({ keyword }) => UNIONS.includes(keyword));
    return [...unions.reverse(), ...errors.filter((error) => !unions.includes(error))].map((error) => {
      const place = placeOf(error.parentSchema);
      return { message: describe(error), place: place && below(place, error.keyword) };
    });
  };

  return { accepts, complaintsOf };
};

/** Judges values by schemas. */
export type Oracle = ReturnType<typeof createOracle>;
