import type { AnySchemaObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { toInt64 } from './int64.ts';
import { isTree, valueAt } from './pointer.ts';

/** What a compiled schema is called on (`this`): the exact tree beside the value, see `Json`. */
export interface Exactness {
  readonly exact: unknown;
}

function isInt64(
  this: Exactness,
  _schema: unknown,
  value: number,
  _parent?: AnySchemaObject,
  at?: { instancePath: string },
): boolean {
  const source = this.exact === undefined ? undefined : valueAt(this.exact, at?.instancePath ?? '');
  return toInt64(value, source) !== undefined;
}

/** Ajv gives a format nothing but the double; a keyword learns the place too, and finds the digits there. */
const markInt64s = (document: unknown): AnySchemaObject =>
  JSON.parse(JSON.stringify(document), (_key, value: unknown) =>
    isTree(value) && value.format === 'int64' ? { ...value, int64: true } : value,
  );

/**
 * One Ajv for a whole document: JSON Schema 2020-12 as OpenAPI 3.1 has it, every violation reported, int64
 * exact, inherited members (`toString`, `__proto__`) never taken for sent ones. Schemas are compiled from where
 * they stand, `{ $ref: '<name>#/<pointer>' }`, so siblings of `$ref` count and recursion needs no copy.
 */
export const createAjv = (document: unknown, name: string): Ajv2020 => {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    ownProperties: true,
    passContext: true,
    strict: false,
    logger: false,
  });
  addFormats.default(ajv);
  ajv.addFormat('int64', true);
  ajv.addKeyword({
    keyword: 'int64',
    type: 'number',
    schemaType: 'boolean',
    validate: isInt64,
    errors: false,
  });
  return ajv.addSchema(markInt64s(document), name);
};
