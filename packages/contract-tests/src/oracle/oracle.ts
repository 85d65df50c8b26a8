import { oncePerObject, pointerTo, toJson } from '@trellis/openapi/json';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isObject } from '../values/json.ts';
import { compilePattern, type Schema } from '../values/schema.ts';
import { type Pointer, ROOT, type View } from '../view/view.ts';
import { createDoubles, createExactKeywords, INT64_END } from './exact-numbers.ts';
import { addAllFormats } from './formats.ts';

/** Why a schema does not accept a value. */
export interface Complaint {
  readonly message: string;
  /** The place of the keyword that fails; `undefined` if it is in no file. */
  readonly at: Pointer | undefined;
}

/** A schema that cannot be compiled: a `$ref` that leads nowhere, an invalid pattern. */
export class BadSchema extends Error {
  override readonly name = 'BadSchema';
}

/** Only Ajv's standalone code would need the source of this. */
const PATTERNS = Object.assign(compilePattern, { code: 'new RegExp' });

/** Ajv would find `toString` among the evaluated members of any value: the list of these inherits nothing here. */
const inheritNothing = (code: string): string =>
  code.replaceAll(/(props\d+ = (?:props\d+ \|\| )?)\{\}/g, '$1Object.create(null)');

const UNIONS = ['oneOf', 'anyOf'];

const describe = ({ instancePath, message = 'is not valid', params }: ErrorObject): string => {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return `${instancePath} ${message}${detail === undefined ? '' : `: ${toJson(detail)}`}`.trim();
};

/**
 * Judges values by the schemas of a contract. It shares no validation code with the service: only the reading of documents,
 * pointers, and the digits of numbers are common to both.
 */
export const createOracle = ({ document, pointerOf }: Pick<View, 'document' | 'pointerOf'>) => {
  const ajv = new Ajv2020({
    code: { regExp: PATTERNS, process: inheritNothing },
    strict: false,
    ownProperties: true,
    allErrors: true,
    verbose: true,
    validateSchema: false,
    logger: false,
  });
  addAllFormats(ajv);
  ajv.addFormat('int64', {
    type: 'number',
    validate: (value: number) => Number.isInteger(value) && value >= -INT64_END && value < INT64_END,
  });
  const { listOf, exactOf } = createDoubles();
  /** Whether the schema accepts a value. */
  const accepts = (schema: Schema, value: unknown): boolean =>
    typeof schema === 'boolean' ? schema : isValid(compile(schema), value);
  for (const definition of createExactKeywords(exactOf)) {
    for (const keyword of [definition.keyword].flat()) ajv.removeKeyword(keyword);
    ajv.addKeyword(definition);
  }
  if (isObject(document)) ajv.addSchema(document, ROOT);

  const compile = oncePerObject((schema: object): ValidateFunction => {
    try {
      return ajv.compile(schema);
    } catch (error) {
      throw new BadSchema(error instanceof Error ? error.message : String(error), { cause: error });
    }
  });

  const isValid = (validate: ValidateFunction, value: unknown): boolean => {
    const holder = listOf([value]);
    const context = { instancePath: '', parentData: holder, parentDataProperty: 0, rootData: holder };
    return validate(holder[0], { ...context, dynamicAnchors: {} });
  };

  /** Why the schema does not accept a value. Unions come first, since all of their branches complain too. */
  const complaintsOf = (schema: Schema, value: unknown): Complaint[] => {
    if (typeof schema === 'boolean') return schema ? [] : [{ message: 'is not allowed', at: undefined }];
    const validate = compile(schema);
    if (isValid(validate, value)) return [];
    const errors = validate.errors ?? [];
    const unions = errors.filter(({ keyword }) => UNIONS.includes(keyword));
    return [...unions.reverse(), ...errors.filter((error) => !unions.includes(error))].map((error) => {
      const schemaAt = pointerOf(error.parentSchema);
      return { message: describe(error), at: schemaAt && schemaAt + pointerTo(error.keyword) };
    });
  };

  return { accepts, complaintsOf };
};

/** Judges values by schemas. */
export type Oracle = ReturnType<typeof createOracle>;
