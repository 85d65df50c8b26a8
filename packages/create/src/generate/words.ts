/** Prepares the words of a contract, which editors show, for the comments of the generated types. */
import { rewriteSchemas } from '@trellis/openapi/internal/document';
import { followRefs, isTree, pointerTo, toJson, valueAt } from '@trellis/openapi/internal/json';
import { inComment } from '../literal.ts';

/** The keywords that openapi-typescript copies into comments. */
const WORDS = new Set(['title', 'summary', 'description', 'format', 'default', 'example', 'examples']);

const textOf = (value: unknown): string => inComment(typeof value === 'string' ? value : toJson(value));

/** The words of an object, as texts that neither end a comment nor begin a tag in it. */
const wordsOf = (object: unknown): object => {
  const entries = Object.entries(isTree(object) ? object : {}).flatMap(
    ([key, value]): [string, unknown][] => {
      if (!WORDS.has(key) || value === undefined) return [];
      if (key !== 'examples') return [[key, textOf(value)]];
      return Array.isArray(value) ? [[key, value.map(textOf)]] : [];
    },
  );
  return Object.fromEntries(entries);
};

/**
 * A document for openapi-typescript. A parameter or header without words gets the words of its schema, a reference the words
 * of its target.
 */
export const withWords = (document: unknown): unknown =>
  rewriteSchemas(document, (object, pointer, _home, isSchema) => {
    const isParameter = /\/(?:parameters|headers)\/[^/]+$/.test(pointer);
    const schemaAt = isParameter ? pointer + pointerTo('schema') : isSchema && '$ref' in object && pointer;
    const described = schemaAt ? valueAt(document, followRefs(document, schemaAt)) : undefined;
    return { ...object, ...wordsOf(described), ...wordsOf(object) };
  });
