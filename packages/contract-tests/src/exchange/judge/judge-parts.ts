import { covers, mediaKindOf } from '@trellis/openapi/http';
import { messageOf } from '@trellis/openapi/json';
import type { Side } from '../../document/contract.ts';
import { type Content, encodingAt, type PartEncoding } from '../../document/operations.ts';
import type { Breach, Reply } from '../../requests/draft.ts';
import { type Json, readJson } from '../../values/json.ts';
import type { Schema } from '../../values/schema.ts';
import { type Part, readParts } from '../parts.ts';
import { judgeHeader } from './judge-headers.ts';
import { isOnly, judgeList } from './judge-items.ts';
import { readText } from './read-text.ts';

/** What is wrong with the head of a part. */
const judgeHead = (
  side: Side,
  { headers }: Part,
  { mediaTypes, headers: declared, at }: PartEncoding,
): Breach | undefined => {
  const sent = headers['content-type'];
  if (mediaTypes.length > 0 && !mediaTypes.some((type) => covers(type, sent ?? '')))
    return {
      what: `Content-Type ${sent ?? 'missing'}, which is not declared, but ${mediaTypes.join(', ')}`,
      at,
    };
  return declared.map((header) => judgeHeader(side, header, { headers })).find((breach) => breach);
};

/** What a part may mean by its media type; RFC 2046, section 5.1, says which one it has without a header field. */
const meaningsOf = (
  { shapeOf, readAsText }: Side,
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

/** Judges a multipart reply: its delimiters, then the media type, header fields and body of each part. */
export const judgeParts = (
  side: Side,
  content: Content,
  type: string,
  { body, stream }: Reply,
): Breach | undefined => {
  if (!isOnly(side, content.schema, 'array')) return undefined; // the contract does not describe the parts
  const isOpen = stream?.isOpen ?? false;
  const { parts, fault } = readParts(type, body, isOpen);
  if (fault !== undefined) return { what: fault, at: content.at };
  const nameOf = (nth: number): string => `part ${nth + 1} of the body`;
  for (const [nth, part] of parts.entries()) {
    const breach = judgeHead(side, part, encodingAt(content, nth));
    if (breach) return { ...breach, what: `${nameOf(nth)}: ${breach.what}` };
  }
  const unread = parts.map((part, nth) => ({
    name: nameOf(nth),
    readBy: (own: Schema) => meaningsOf(side, part, own),
  }));
  return judgeList(side, content, unread, { isList: true, isOpen, whole: 'the body' });
};
