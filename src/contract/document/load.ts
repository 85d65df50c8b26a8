import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import type { Document } from 'openapi-backend';
import { isTree } from '../json/pointer.ts';
import { adaptDocument, isServed } from './adapt/adapt.ts';
import type { Note } from './adapt/note.ts';
import { takeInFiles } from './files.ts';
import { EXACT_SCHEMA } from './yaml.ts';

/** `npm run generate` checks a document in depth; the service only makes sure that it is one. */
const isDocument = (value: unknown): value is Document => isServed(value) && isTree(value.paths);

/** JSON whose integers doubles can hold, which is parsed ten times faster than YAML. */
const parsePlainJson = (text: string): unknown => {
  if (!text.startsWith('{') || /[:[,]\s*-?\d{16}/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // YAML may begin with a brace too
  }
};

/** Reads one file of a contract. */
export const readPage = async (path: string): Promise<unknown> => {
  const text = await readFile(path, 'utf8');
  return parsePlainJson(text) ?? load(text, { filename: path, schema: EXACT_SCHEMA });
};

/** Reads the contract as it is served, with notes of what was changed for that; throws if it cannot be served. */
export const readDocument = async (
  file: string,
  read = readPage,
): Promise<{ readonly document: Document; readonly notes: readonly Note[] }> => {
  const whole = await takeInFiles(file, read);
  if (!isServed(whole))
    throw new Error(`${file} is not an OpenAPI 3 document: run \`npm run generate\` to see why`);
  const { document, notes } = adaptDocument(whole);
  if (isDocument(document)) return { document, notes };
  throw new Error(`${file} has no paths: run \`npm run generate\` to see why`);
};

/**
 * Reads the contract; throws if it is not one. Its integers beyond 2^53 are bigints, so write it with `toJson`:
 * `JSON.stringify` throws on them.
 */
export const loadDocument = async (file: string, read = readPage): Promise<Document> =>
  (await readDocument(file, read)).document;
