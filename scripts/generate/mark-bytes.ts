/** Marks what is bytes to a handler, in a copy of the contract: its types are generated from that. */

import { kindOf } from '../../src/contract/body/media-types.ts';
import { rewriteSchemas } from '../../src/contract/document/rewrite.ts';
import { pointerSteps, pointerTo } from '../../src/contract/json/pointer.ts';
import { binaryPlaces } from '../../src/contract/schema/binary-places.ts';
import { memberAt, membersOf, typesOf } from '../../src/contract/schema/shape.ts';

/** The keyword that marks a schema. */
export const BYTES = 'x-bytes';

/** A body of one media type, in a request or a reply. */
const CONTENT = /\/(requestBody|requestBodies\/[^/]+|responses\/[^/]+)\/content\/[^/]+$/;

/** Of what these cover some is bytes and some is not. */
const MIXED = /^(?:\*|application|message|multipart)\/\*/;

/** A reply may be a text where its schema says so, whatever its media type. */
const isPlainText = (document: unknown, schemaAt: string): boolean => {
  const types = typesOf(document, schemaAt);
  return types.size === 1 && types.has('string') && binaryPlaces(document, schemaAt).length === 0;
};

/** Where the schemas of the files of a form stand. */
const filesAt = (document: unknown, schemaAt: string): string[] =>
  membersOf(document, schemaAt)
    .flatMap((name) => memberAt(document, schemaAt, 'properties', name) ?? [])
    .flatMap((at) => [at, memberAt(document, at, 'items') ?? []].flat())
    .flatMap((at) => binaryPlaces(document, at));

/** A copy of a document with a mark on each schema of bytes, be it of a whole body or of a part of a form. */
export const markBytes = (document: unknown): unknown => {
  const bodies = new Set<string>();
  const files = new Set<string>();
  rewriteSchemas(document, (copy, pointer) => {
    const [, place = ''] = CONTENT.exec(pointer) ?? [];
    const mediaType = pointerSteps(pointer).at(-1) ?? '';
    const schemaAt = pointer + pointerTo('schema');
    const kind = place === '' ? undefined : kindOf(mediaType);
    if (kind === 'multipart') for (const at of filesAt(document, schemaAt)) files.add(at);
    const isText = place.startsWith('responses') && isPlainText(document, schemaAt);
    if (kind === 'binary' && !MIXED.test(mediaType) && !isText) bodies.add(pointer);
    return copy;
  });
  return rewriteSchemas(document, (copy, pointer) => {
    if (bodies.has(pointer)) return { ...copy, schema: { type: 'string', [BYTES]: true } };
    return files.has(pointer) ? { ...copy, type: copy.type ?? 'string', [BYTES]: true } : copy;
  });
};
