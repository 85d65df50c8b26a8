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

/** Reads the contract, or says why it cannot be one. */
export const loadDocument = async (file: string): Promise<Document> => {
  const document: unknown = load(await readFile(file, 'utf8'), { filename: file });
  if (isDocument(document)) return document;
  throw new Error(`${file} is not an OpenAPI 3.1 document: run \`npm run generate\` to see why`);
};
