import { oncePerObject, pointerTo, toJson } from '@trellis/openapi/internal/json';
import { AJV_PATTERNS } from '@trellis/openapi/internal/schema';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject } from '../values/json.ts';
import type { Schema } from '../values/schema.ts';
import { createDoubles, createExactKeywords, INT64_END } from './exact-numbers.ts';
import { type Pointer, ROOT, type View } from './view.ts';

/** A label of a host name (RFC 1123, section 2.1). */
const LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?';

/** RFC 5321, section 4.1.2, without quoted names and addresses in brackets: the domain may be one label. */
const EMAIL = new RegExp(`^[^\\s@"(),:;<>[\\]\\\\]+@${LABEL}(?:\\.${LABEL})*$`, 'i');

/** Whether the URL standard accepts a text as a URL of the web. */
const isUrl = (text: string): boolean =>
  /^(?:https?|ftp):[^\s\p{Cc}]{1,2000}$/iu.test(text) && URL.canParse(text);

/** Adds formats to an Ajv. ajv-formats rejects private hosts, names without a dot, and URLs beyond ASCII. */
const addAllFormats = (ajv: Ajv2020): void => {
  addFormats.default(ajv, { keywords: false });
  ajv.addFormat('email', EMAIL);
  ajv.addFormat('url', isUrl);
  for (const name of ['uri', 'uri-reference'] as const) {
    const format = addFormats.default.get(name);
    const isUri = format instanceof RegExp ? (text: string) => format.test(text) : format;
    if (typeof isUri === 'function') ajv.addFormat(name, (text: string) => isUri(text) || isUrl(text));
  }
};

/** A reason why a schema does not accept a value. */
export interface Complaint {
  readonly message: string;
  /** The pointer of the keyword that fails; `undefined` if it is in no file. */
  readonly at: Pointer | undefined;
}

/** A schema that cannot be compiled: a `$ref` does not resolve, or a pattern is invalid. */
export class BadSchema extends Error {
  override readonly name = 'BadSchema';
}

/** Makes Ajv's sets of evaluated properties inherit nothing. Otherwise `toString` counts as evaluated. */
const inheritNothing = (code: string): string =>
  code.replaceAll(/(props\d+ = (?:props\d+ \|\| )?)\{\}/g, '$1Object.create(null)');

const UNIONS = ['oneOf', 'anyOf'];

const describe = ({ instancePath, message = 'is not valid', params }: ErrorObject): string => {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return `${instancePath} ${message}${detail === undefined ? '' : `: ${toJson(detail)}`}`.trim();
};

/**
 * Validates values by the schemas of a contract. It shares no validation code with the service, only the reading of documents,
 * pointers and digits of numbers.
 */
export const createOracle = ({ document, pointerOf }: Pick<View, 'document' | 'pointerOf'>) => {
  const ajv = new Ajv2020({
    code: { regExp: AJV_PATTERNS, process: inheritNothing },
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

  /** The reasons for rejecting a value. Unions come first, since each of their branches complains too. */
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

/** Validates values. */
export type Oracle = ReturnType<typeof createOracle>;
