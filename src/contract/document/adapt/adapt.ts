import { isTree } from '../../json/pointer.ts';
import { withPointers } from '../anchors.ts';
import { rewriteSchemas } from '../rewrite.ts';
import { createKeywordCheck } from './keywords.ts';
import { downgradeBodies, isNewer } from './newer.ts';
import type { Note } from './note.ts';
import { securityOf } from './operations.ts';
import { adaptPaths } from './paths.ts';
import { leaveOutBroken } from './references.ts';
import { createUpgrade, isOld } from './upgrade.ts';

/** A document as it is served, and what was changed on the way. */
export interface Adapted {
  readonly document: Record<string, unknown>;
  readonly notes: readonly Note[];
}

/** Whether a value says that it is an OpenAPI document of a version that is served. */
export const isServed = (value: unknown): value is Record<string, unknown> =>
  isTree(value) && /^3\.[012](?:\.|$)/.test(`${value.openapi}`);

/**
 * Makes of a document of OpenAPI 3.0, 3.1 or 3.2 one of 3.1 that can be served. What cannot be served is left out and
 * noted. Throws if it would be unsafe to go on. The service and `npm run generate` do the same.
 */
export const adaptDocument = (document: Record<string, unknown>): Adapted => {
  const notes: Note[] = [];
  const note = (pointer: string, message: string, subject = '', other?: string): void => {
    notes.push({ pointer, subject, message, other });
  };
  const upgrade = createUpgrade(isOld(document), note);
  const checkKeywords = createKeywordCheck(note);
  const known = isNewer(document) ? downgradeBodies(document, note) : document;
  const upgraded = rewriteSchemas(withPointers(known), (copy, pointer, _home, isSchema) => {
    const made = upgrade(copy, pointer);
    return isSchema ? checkKeywords(made, pointer) : made;
  });
  const paths = adaptPaths(upgraded, note);
  if (!isTree(document.paths)) note('', 'has no paths, so it serves no operations; add them');
  const version = /^3\.[12]\.\d/.test(`${document.openapi}`) ? document.openapi : '3.1.0';
  const security = securityOf(document.security, '', 'the document', note);
  const whole = {
    ...(isTree(upgraded) && upgraded),
    openapi: version,
    ...(security && { security }),
    paths,
  };
  return { document: leaveOutBroken(whole, note), notes };
};
