import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import type { Document } from 'openapi-backend';
import { isTree } from '../json/pointer.ts';
import { takeInFiles } from './files.ts';
import { EXACT_SCHEMA } from './yaml.ts';

/** `npm run generate` checks a document in depth; the service only makes sure that it has one before it. */
const isDocument = (value: unknown): value is Document =>
  isTree(value) &&
  typeof value.openapi === 'string' &&
  value.openapi.startsWith('3.1.') &&
  isTree(value.paths);

/** Reads one of the files that a contract is made of. */
export const readPage = async (path: string): Promise<unknown> =>
  load(await readFile(path, 'utf8'), { filename: path, schema: EXACT_SCHEMA });

/**
 * Reads the contract, or says why it cannot be one. Integers beyond 2^53 are bigints in it: write it with `toJson`,
 * `JSON.stringify` knows none.
 */
export const loadDocument = async (file: string, read = readPage): Promise<Document> => {
  const document = await takeInFiles(file, read);
  if (isDocument(document)) return document;
  throw new Error(`${file} is not an OpenAPI 3.1 document: run \`npm run generate\` to see why`);
};
