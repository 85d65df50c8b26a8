import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import type { Document } from 'openapi-backend';
import { isTree } from '../json/pointer.ts';
import { takeInFiles } from './files.ts';
import { EXACT_SCHEMA } from './yaml.ts';

/** `npm run generate` checks a document in depth; the service only makes sure that it is one. */
const isDocument = (value: unknown): value is Document =>
  isTree(value) &&
  typeof value.openapi === 'string' &&
  value.openapi.startsWith('3.1.') &&
  isTree(value.paths);

/** Reads one file of a contract. */
export const readPage = async (path: string): Promise<unknown> =>
  load(await readFile(path, 'utf8'), { filename: path, schema: EXACT_SCHEMA });

/**
 * Reads the contract; throws if it is not one. Its integers beyond 2^53 are bigints, so write it with `toJson`:
 * `JSON.stringify` throws on them.
 */
export const loadDocument = async (file: string, read = readPage): Promise<Document> => {
  const document = await takeInFiles(file, read);
  if (isDocument(document)) return document;
  throw new Error(`${file} is not an OpenAPI 3.1 document: run \`npm run generate\` to see why`);
};
