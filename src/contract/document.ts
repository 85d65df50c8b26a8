import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import type { Document } from 'openapi-backend';
import { isTree } from './pointer.ts';

/** `npm run generate` checks a document in depth; the service only makes sure that it has one before it. */
const isDocument = (value: unknown): value is Document =>
  isTree(value) &&
  typeof value.openapi === 'string' &&
  value.openapi.startsWith('3.1.') &&
  isTree(value.paths);

/** `$ref: './thing.yaml'` and the like. */
const refersElsewhere = (value: unknown): boolean =>
  isTree(value) &&
  Object.entries(value).some(
    ([key, member]) =>
      (key === '$ref' && typeof member === 'string' && !member.startsWith('#')) || refersElsewhere(member),
  );

/** Takes in the files that the contract refers to. The parser for that is loaded by those who need it. */
const bundle = async (file: string): Promise<unknown> => {
  const { default: parser } = await import('@apidevtools/json-schema-ref-parser');
  return parser.bundle(file);
};

/** Reads the contract, or says why it cannot be one. */
export const loadDocument = async (file: string): Promise<Document> => {
  const alone: unknown = load(await readFile(file, 'utf8'), { filename: file });
  const document: unknown = refersElsewhere(alone) ? await bundle(file) : alone;
  if (isDocument(document)) return document;
  throw new Error(`${file} is not an OpenAPI 3.1 document: run \`npm run generate\` to see why`);
};
