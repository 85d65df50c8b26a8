import { Ajv } from 'ajv';
import type { SavedFile } from './case.ts';

const TEXT = { type: 'string' } as const;

const FLAG = { type: 'boolean' } as const;

/** A rule of HTTP. */
const RULE = {
  type: 'object',
  properties: {
    allow: { type: 'array', items: TEXT },
    noSuccess: TEXT,
    noPage: FLAG,
    noBody: FLAG,
    mediaType: TEXT,
    isValid: FLAG,
    like: {
      type: 'object',
      required: ['status', 'headers', 'isDeclared'],
      properties: {
        status: { type: 'integer' },
        headers: { type: 'object', additionalProperties: TEXT },
        isDeclared: FLAG,
      },
    },
    mayHangUp: FLAG,
  },
};

const REQUEST = {
  type: 'object',
  required: ['method', 'target', 'headers', 'body', 'gives'],
  properties: {
    method: TEXT,
    target: { type: 'string', pattern: '^/' },
    headers: { type: 'array', items: { type: 'array', items: TEXT, minItems: 2, maxItems: 2 } },
    body: {
      anyOf: [
        { type: 'null' },
        { type: 'object', required: ['text'], properties: { text: TEXT } },
        { type: 'object', required: ['base64'], properties: { base64: TEXT } },
      ],
    },
    gives: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'pointer'],
        properties: { name: TEXT, pointer: { type: ['string', 'null'] } },
      },
    },
  },
};

const FILE = {
  type: 'object',
  required: ['version', 'seed', 'requestsPerOperation', 'cases'],
  properties: {
    version: { const: 1 },
    seed: { type: 'integer', minimum: 1 },
    requestsPerOperation: { type: 'integer', minimum: 1 },
    cases: {
      type: 'array',
      items: {
        type: 'object',
        required: ['phase', 'subject', 'operation', 'requests', 'expected', 'pointer', 'text'],
        properties: {
          phase: TEXT,
          subject: TEXT,
          operation: TEXT,
          requests: { type: 'array', minItems: 1, items: REQUEST },
          expected: { type: ['object', 'null'], properties: { http: RULE } },
          pointer: TEXT,
          text: TEXT,
        },
      },
    },
  },
};

const ajv = new Ajv({ allowUnionTypes: true });
const isFile = ajv.compile<SavedFile>(FILE);

/** Reads a file of saved cases. Throws what is wrong with it. */
export const parseCases = (text: string): SavedFile => {
  const value: unknown = JSON.parse(text);
  if (isFile(value)) return value;
  throw new Error(ajv.errorsText(isFile.errors, { dataVar: 'the file' }));
};
