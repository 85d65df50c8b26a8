import { readFile } from 'node:fs/promises';
import { CORE_SCHEMA, intCoreTag, load, type ScalarTagDefinition } from 'js-yaml';
import type { Document } from 'openapi-backend';
import { takeInFiles } from './files.ts';
import { isTree } from './pointer.ts';

/** `npm run generate` checks a document in depth; the service only makes sure that it has one before it. */
const isDocument = (value: unknown): value is Document =>
  isTree(value) &&
  typeof value.openapi === 'string' &&
  value.openapi.startsWith('3.1.') &&
  isTree(value.paths);

/** An integer that a double cannot hold is a bigint: a bound of an int64 must not move by one. */
const exactInteger: ScalarTagDefinition = {
  ...intCoreTag,
  resolve(source, isExplicit, tagName) {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    const isExact = typeof value !== 'number' || Number.isSafeInteger(value);
    return isExact || !/^[-+]?\d+$/.test(source) ? value : BigInt(source.replace(/^\+/, ''));
  },
};
const SCHEMA = CORE_SCHEMA.withTags(exactInteger);

const parse = (text: string, filename: string): unknown => load(text, { filename, schema: SCHEMA });

/**
 * Reads the contract, or says why it cannot be one. Integers beyond 2^53 are bigints in it: write it with `toJson`,
 * `JSON.stringify` knows none.
 */
export const loadDocument = async (file: string): Promise<Document> => {
  const document = await takeInFiles(file, async (path) => parse(await readFile(path, 'utf8'), path));
  if (isDocument(document)) return document;
  throw new Error(`${file} is not an OpenAPI 3.1 document: run \`npm run generate\` to see why`);
};
