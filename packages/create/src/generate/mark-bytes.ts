/** Marks the schemas whose values are bytes to a handler, so that their types become `Buffer`. */

import { rewriteSchemas } from '@trellis/openapi/internal/document';
import { bodyKindOf, sequenceKindOf } from '@trellis/openapi/internal/http';
import { pointerSteps, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import {
  binaryPlaces,
  itemsKindAt,
  memberAt,
  membersAt,
  membersOf,
  typesOf,
} from '@trellis/openapi/internal/schema';

/** The keyword that marks a schema of bytes. */
export const BYTES = 'x-bytes';

/** The pointer of a body of one media type, in a request or a reply. */
const CONTENT = /\/(requestBody|requestBodies\/[^/]+|responses\/[^/]+)\/content\/[^/]+$/;

/** Media type ranges that cover both text and bytes. */
export const MIXED = /^(?:\*|application|message|multipart)\/\*/;

/** Whether the schema of a reply declares a plain text, whatever the media type. */
export const isPlainText = (document: unknown, schemaAt: string): boolean => {
  const types = typesOf(document, schemaAt);
  return types.size === 1 && types.has('string') && binaryPlaces(document, schemaAt).length === 0;
};

/** The pointers of the schemas of the files in a form. */
const filesAt = (document: unknown, schemaAt: string): string[] =>
  membersOf(document, schemaAt)
    .flatMap((name) => memberAt(document, schemaAt, 'properties', name) ?? [])
    .flatMap((at) => [at, memberAt(document, at, 'items') ?? []].flat())
    .flatMap((at) => binaryPlaces(document, at));

/** The pointers of the schemas of bytes in a list of parts. */
const bytesInParts = (document: unknown, schemaAt: string): string[] =>
  membersAt(document, schemaAt, 'prefixItems')
    .flatMap((at) => Object.keys(valueAt(document, at) ?? {}).map((nth) => at + pointerTo(nth)))
    .concat(membersAt(document, schemaAt, 'items'))
    .flatMap((at) => binaryPlaces(document, at));

/** A copy of a document in which each schema of bytes is marked, of a whole body or of a part of a form. */
export const markBytes = (document: unknown): unknown => {
  const bodies = new Set<string>();
  const files = new Set<string>();
  rewriteSchemas(document, (copy, pointer) => {
    const [, place] = CONTENT.exec(pointer) ?? [];
    if (place === undefined) return copy;
    const mediaType = pointerSteps(pointer).at(-1) ?? '';
    const schemaAt = pointer + pointerTo('schema');
    const kind = bodyKindOf(mediaType);
    const items = itemsKindAt(document, mediaType, schemaAt);
    if (kind === 'multipart') for (const at of filesAt(document, schemaAt)) files.add(at);
    if (items === 'parts') for (const at of bytesInParts(document, schemaAt)) files.add(at);
    const isReply = place.startsWith('responses');
    const isSequence = isReply && sequenceKindOf(mediaType) !== undefined;
    const isTyped = items !== undefined || isSequence || (isReply && isPlainText(document, schemaAt));
    if (kind === 'binary' && !MIXED.test(mediaType) && !isTyped) bodies.add(pointer);
    return copy;
  });
  return rewriteSchemas(document, (copy, pointer) => {
    if (bodies.has(pointer)) return { ...copy, schema: { type: 'string', [BYTES]: true } };
    return files.has(pointer) ? { ...copy, type: copy.type ?? 'string', [BYTES]: true } : copy;
  });
};
