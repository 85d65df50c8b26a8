import { TextDecoder } from 'node:util';
import {
  covers,
  hasPositions,
  type MediaKind,
  mediaKindOf,
  sequenceKindOf,
} from '@trellis/openapi/internal/http';
import { messageOf, pointerTo } from '@trellis/openapi/internal/json';
import type { Schemas } from '../../document/contract.ts';
import { type Content, encodingAt, type PartEncoding } from '../../document/operations.ts';
import { type Breach, type Reply, single } from '../../requests/call.ts';
import { type Json, parseJson, readJson, TooDeep } from '../../values/json.ts';
import type { Schema } from '../../values/schema.ts';
import { type Part, readParts } from '../framing.ts';
import { breachOf, isOnly, judgeHeader, judgeItems, judgeList } from './judge-items.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** Creates a decoder; `undefined` if Node does not know the charset. */
const decoderOf = (charset: string, fatal: boolean): TextDecoder | undefined => {
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: true });
  } catch {
    return undefined;
  }
};

/**
 * Decodes a body; throws if its bytes are invalid in its charset. JSON is UTF-8 by default (RFC 8259, section 8.1), and so
 * are the items of a stream, which may be cut in the middle of a character.
 */
const readText = (
  type: string,
  kind: MediaKind,
  { body, stream }: Pick<Reply, 'body' | 'stream'>,
): string => {
  const [, charset] = CHARSET.exec(type) ?? [];
  const isDefinite = charset !== undefined || kind === 'json' || stream !== undefined;
  const decoder = decoderOf(charset ?? 'utf-8', isDefinite);
  if (!decoder) return body.toString('utf8');
  try {
    return decoder.decode(body, { stream: stream?.isOpen ?? false });
  } catch {
    throw new Error(`is not valid ${charset ?? 'utf-8'}`);
  }
};

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
const judgeParts = (
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

/** Judges the body of a reply by the declaration of its media type. */
export const judgeBody = (schemas: Schemas, content: Content, reply: Reply): Breach | undefined => {
  const { complaintsOf, shapeOf, readAsText } = schemas;
  const { schema, at } = content;
  const judge = (value: unknown): Breach | undefined =>
    breachOf(complaintsOf(schema, value), 'the body', at + pointerTo('schema'));
  const type = single(reply.headers['content-type']) ?? '';
  const kind = mediaKindOf(type);
  const sequence = sequenceKindOf(type);
  if (hasPositions(type)) return judgeParts(schemas, content, type, reply);
  if (kind !== 'json' && kind !== 'text' && !sequence) return undefined;
  let text: string;
  try {
    text = readText(type, kind, reply);
  } catch (error) {
    return { what: `the body ${messageOf(error)}`, at };
  }
  if (sequence) return judgeItems(schemas, sequence, content, text, reply.stream?.isOpen ?? false);
  // OpenAPI does not define lists and objects in text bodies.
  if (kind === 'text') return shapeOf(schema) === 'scalar' ? judge(readAsText(schema, text)) : undefined;
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    return { what: `the body ${error instanceof TooDeep ? error.message : 'is not JSON'}`, at };
  }
  return judge(value);
};
