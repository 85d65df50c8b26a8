import { Ajv } from 'ajv';
import type { SavedFile } from './case.ts';

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean' };
const listOf = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
/** An object that has all of these members. */
const having = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** A rule of HTTP. */
const RULE = {
  type: 'object',
  properties: {
    ...{ allow: listOf(TEXT), noSuccess: TEXT, noPage: FLAG, mediaType: TEXT, isValid: FLAG },
    like: having({
      status: { type: 'integer' },
      headers: { type: 'object', additionalProperties: TEXT },
      isDeclared: FLAG,
    }),
    mayHangUp: FLAG,
  },
};

/** What the last reply is judged by; `null` if the sequence was judged as a whole. */
const EXPECTED = {
  type: ['object', 'null'],
  required: ['name', 'kind', 'named'],
  properties: { name: TEXT, kind: TEXT, named: TEXT, refusal: { enum: [400, 401, 415] }, http: RULE },
};

const REQUEST = having({
  method: TEXT,
  target: { ...TEXT, pattern: '^/' },
  headers: listOf(listOf(TEXT, { minItems: 2, maxItems: 2 })),
  body: { anyOf: [{ type: 'null' }, having({ text: TEXT }), having({ base64: TEXT })] },
  gives: listOf(having({ name: TEXT, pointer: { type: ['string', 'null'] } })),
});

const CASE = having({
  ...{ phase: TEXT, subject: TEXT, operation: TEXT, requests: listOf(REQUEST, { minItems: 1 }) },
  expected: EXPECTED,
  ...{ pointer: TEXT, text: TEXT },
});

const FILE = having({
  version: { const: 1 },
  seed: { type: 'integer', minimum: 1 },
  requestsPerOperation: { type: 'integer', minimum: 1 },
  cases: listOf(CASE),
});

const ajv = new Ajv({ allowUnionTypes: true });
const isFile = ajv.compile<SavedFile>(FILE);

/** Reads a file of saved cases. Throws what is wrong with it. */
export const parseCases = (text: string): SavedFile => {
  const value: unknown = JSON.parse(text);
  if (isFile(value)) return value;
  throw new Error(ajv.errorsText(isFile.errors, { dataVar: 'the file' }));
};
