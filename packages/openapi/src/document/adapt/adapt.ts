import { isTree, ownMember, pointerTo } from '../../json/pointer.ts';
import { isNewer, isOld } from '../document.ts';
import { withAllOperations } from '../methods.ts';
import type { Note } from '../note.ts';
import { operationsIn } from '../path-item.ts';
import { rewriteSchemas } from '../rewrite.ts';
import { withPlainBases } from './inheritance.ts';
import { createKeywordCheck } from './keywords.ts';
import { createMemberCheck } from './members.ts';
import { noteNewer, withDefaultBranch, withExampleValue, withItemsInSchema } from './newer.ts';
import { securityOf } from './operations.ts';
import { adaptPaths } from './paths.ts';
import { leaveOutBroken } from './references.ts';
import { createUpgrade } from './upgrade.ts';

/** An adapted document, and notes on the changes. */
export interface Adapted {
  readonly document: Record<string, unknown>;
  readonly notes: readonly Note[];
}

const treeAt = (value: unknown, key: string): object => {
  const member = ownMember(value, key);
  return isTree(member) ? member : {};
};

/**
 * Converts a document of OpenAPI 3.0, 3.1 or 3.2 to a document of 3.1 that can be served. Parts that cannot be served
 * are removed, with a note. Throws where removing a part would be unsafe. The service and `npm run generate` both use
 * it.
 */
export const adaptDocument = (document: Record<string, unknown>): Adapted => {
  const notes: Note[] = [];
  const note = (pointer: string, message: string, subject = '', other?: string): void => {
    notes.push({ pointer, subject, message, other });
  };
  const upgrade = createUpgrade(isOld(document), note);
  const checkKeywords = createKeywordCheck(note);
  const checkMembers = createMemberCheck(note);
  const isOfNewer = isNewer(document);
  const known = rewriteSchemas(document, (copy, pointer, _home, isSchema) => {
    if (isOfNewer) noteNewer(copy, pointer, note);
    const newer = isOfNewer ? withExampleValue(withItemsInSchema(copy, pointer), pointer) : copy;
    const made = upgrade(newer, pointer);
    if (isSchema) return checkKeywords(made, pointer);
    return withAllOperations(checkMembers(made, pointer), pointer, isOfNewer, note);
  });
  const upgraded = isOfNewer
    ? rewriteSchemas(known, (schema, pointer) => withDefaultBranch(known, schema, pointer))
    : known;
  const paths = adaptPaths(upgraded, note);
  if (!isTree(document.paths)) note('', 'has no paths, so it serves no operations; add them');
  else if (!Object.values(treeAt(upgraded, 'paths')).some((item) => operationsIn(item).length > 0))
    note(pointerTo('paths'), 'has no operations, so nothing is served; add them');
  const version = /^3\.[12]\.\d/.test(`${document.openapi}`) ? document.openapi : '3.1.0';
  const security = securityOf(document.security, '', 'the document', note);
  const whole = {
    ...(isTree(upgraded) && upgraded),
    openapi: version,
    info: { title: '', version: '', ...treeAt(upgraded, 'info') },
    ...(security && { security }),
    paths,
  };
  return { document: withPlainBases(leaveOutBroken(whole, note)), notes };
};
