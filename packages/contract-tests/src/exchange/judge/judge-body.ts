import { TextDecoder } from 'node:util';
import {
  covers,
  hasPositions,
  type MediaKind,
  mediaKindOf,
  sequenceKindOf,
} from '@trellis/openapi/internal/http';
import { pointerTo } from '@trellis/openapi/internal/json';
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
 * Decodes a body; returns an error if its bytes are invalid in its charset. JSON is UTF-8 by default (RFC 8259, section
 * 8.1), and so are the items of a stream, which may be cut in the middle of a character.
 */
const readText = (type: string, kind: MediaKind, message: Pick<Reply, 'body' | 'stream'>): string | Error => {
  const { body, stream } = message;
  const [, charset] = CHARSET.exec(type) ?? [];
  const isDefinite = charset !== undefined || kind === 'json' || stream !== undefined;
  const decoder = decoderOf(charset ?? 'utf-8', isDefinite);
  if (!decoder) return body.toString('utf8');
  try {
    return decoder.decode(body, { stream: stream?.isOpen ?? false });
  } catch {
    return new Error(`is not valid ${charset ?? 'utf-8'}`);
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

/** The possible values of a body or a part, or a message if it cannot be read. Contracts describe some texts as JSON. */
const readValues = (
  { shapeOf, readAsText }: Schemas,
  mediaType: string,
  message: Pick<Reply, 'body' | 'stream'>,
  schema: Schema,
): Json[] | string => {
  const kind = mediaKindOf(mediaType);
  if (kind !== 'json' && kind !== 'text') return [message.body.toString('latin1')]; // a character for each byte
  const text = readText(mediaType, kind, message);
  if (typeof text !== 'string') return text.message;
  if (kind === 'text') {
    const read = readJson(text);
    if (shapeOf(schema) === 'scalar') return [readAsText(schema, text)];
    return read === undefined ? [text] : [read, text];
  }
  try {
    return [parseJson(text)];
  } catch (error) {
    return error instanceof TooDeep ? error.message : 'is not JSON';
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
    // Its media type defaults to text/plain (RFC 2046, section 5.1).
    readBy: (own: Schema) =>
      readValues(schemas, part.headers['content-type'] ?? 'text/plain', { body: part.bytes }, own),
  }));
  return judgeList(schemas, content, unread, { isList: true, isOpen, whole: 'the body' });
};

/** Judges the body of a reply by the declaration of its media type. */
export const judgeBody = (schemas: Schemas, content: Content, reply: Reply): Breach | undefined => {
  const { schema, at } = content;
  const type = single(reply.headers['content-type']) ?? '';
  const kind = mediaKindOf(type);
  const sequence = sequenceKindOf(type);
  if (hasPositions(type)) return judgeParts(schemas, content, type, reply);
  if (sequence) {
    const text = readText(type, kind, reply);
    if (typeof text !== 'string') return { what: `the body ${text.message}`, at };
    return judgeItems(schemas, sequence, content, text, reply.stream?.isOpen ?? false);
  }
  if (kind !== 'json' && kind !== 'text') return undefined;
  const values = readValues(schemas, type, reply, schema);
  if (typeof values === 'string') return { what: `the body ${values}`, at };
  // OpenAPI does not define lists and objects in text bodies.
  if (kind === 'text' && schemas.shapeOf(schema) !== 'scalar') return undefined;
  return breachOf(schemas.complaintsOf(schema, values[0]), 'the body', at + pointerTo('schema'));
};
