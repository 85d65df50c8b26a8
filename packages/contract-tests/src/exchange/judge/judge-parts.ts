import { covers, mediaKindOf } from '@trellis/openapi/internal/http';
import { messageOf } from '@trellis/openapi/internal/json';
import type { Schemas } from '../../document/contract.ts';
import { type Content, encodingAt, type PartEncoding } from '../../document/operations.ts';
import type { Breach, Reply } from '../../requests/call.ts';
import { type Json, readJson } from '../../values/json.ts';
import type { Schema } from '../../values/schema.ts';
import { type Part, readParts } from '../parts.ts';
import { judgeHeader } from './judge-headers.ts';
import { isOnly, judgeList } from './judge-items.ts';
import { readText } from './read-text.ts';

/** Judges the media type and headers of a part. */
const judgeHead = (
  schemas: Schemas,
  { headers }: Part,
  { mediaTypes, headers: declared, at }: PartEncoding,
): Breach | undefined => {
  const sent = headers['content-type'];
  if (mediaTypes.length > 0 && !mediaTypes.some((type) => covers(type, sent ?? '')))
    return {
      what: `Content-Type ${sent ?? 'missing'}, which is not declared, but ${mediaTypes.join(', ')}`,
      at,
    };
  return declared.map((header) => judgeHeader(schemas, header, { headers })).find((breach) => breach);
};

/** The possible values of a part. Its media type defaults to text/plain (RFC 2046, section 5.1). */
const meaningsOf = (
  { shapeOf, readAsText }: Schemas,
  { headers, bytes }: Part,
  schema: Schema,
): Json[] | string => {
  const mediaType = headers['content-type'] ?? 'text/plain';
  const kind = mediaKindOf(mediaType);
  if (kind !== 'json' && kind !== 'text') return [bytes.toString('latin1')]; // a character for each byte
  try {
    const text = readText(mediaType, kind, { body: bytes });
    if (kind === 'text' && shapeOf(schema) === 'scalar') return [readAsText(schema, text)];
    const read = readJson(text);
    return [...(read === undefined ? [] : [read]), ...(kind === 'text' ? [text] : [])];
  } catch (error) {
    return messageOf(error);
  }
};

/** Judges a multipart reply: its delimiters, then the media type, headers and body of each part. */
export const judgeParts = (
  schemas: Schemas,
  content: Content,
  type: string,
  { body, stream }: Reply,
): Breach | undefined => {
  if (!isOnly(schemas, content.schema, 'array')) return undefined; // the contract does not describe parts by position
  const isOpen = stream?.isOpen ?? false;
  const { parts, fault } = readParts(type, body, isOpen);
  if (fault !== undefined) return { what: fault, at: content.at };
  const nameOf = (nth: number): string => `part ${nth + 1} of the body`;
  for (const [nth, part] of parts.entries()) {
    const breach = judgeHead(schemas, part, encodingAt(content, nth));
    if (breach) return { ...breach, what: `${nameOf(nth)}: ${breach.what}` };
  }
  const unread = parts.map((part, nth) => ({
    name: nameOf(nth),
    readBy: (own: Schema) => meaningsOf(schemas, part, own),
  }));
  return judgeList(schemas, content, unread, { isList: true, isOpen, whole: 'the body' });
};
