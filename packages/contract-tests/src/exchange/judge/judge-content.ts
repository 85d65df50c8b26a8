import { TextDecoder } from 'node:util';
import { type MediaKind, mediaKindOf } from '@trellis/openapi/document';
import { sequenceKindOf } from '@trellis/openapi/http';
import { pointerTo } from '@trellis/openapi/json';
import type { Side } from '../../document/contract.ts';
import type { Content, Field } from '../../document/operations.ts';
import { isEntityTag } from '../../http/conditions.ts';
import { type Breach, type Reply, single } from '../../requests/draft.ts';
import { createReadings, type Readings } from '../../requests/readings.ts';
import { type Json, parseJson, TooDeep } from '../../values/json.ts';
import { breachOf, createItemsJudge, readJson } from './judge-items.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** A decoder of a charset; `undefined` for one that this machine does not know. */
const decoderOf = (charset: string, fatal: boolean): TextDecoder | undefined => {
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: true });
  } catch {
    return undefined;
  }
};

/**
 * The text of a body; an error says which charset its bytes break. JSON is UTF-8 unless it says otherwise (RFC 8259,
 * section 8.1), and so are the items of a stream, which may still be open.
 */
const readText = (type: string, kind: MediaKind, { body, stream }: Reply): string => {
  const [, charset] = CHARSET.exec(type) ?? [];
  const isDefinite = charset !== undefined || kind === 'json' || stream !== undefined;
  const decoder = decoderOf(charset ?? 'utf-8', isDefinite);
  if (!decoder) return body.toString('utf8');
  try {
    return decoder.decode(body, { stream: stream?.isOpen ?? false });
  } catch {
    throw new Error(`the body is not valid ${charset ?? 'utf-8'}`);
  }
};

/** Makes a function that judges the body of a reply by what is declared for its media type. */
export const createBodyJudge = (side: Side) => {
  const { complaintsOf } = side;
  const readings = createReadings(side);
  const { shapeOf, readAsText } = readings;
  const judgeItems = createItemsJudge(side, readings);
  return (content: Content, reply: Reply): Breach | undefined => {
    const { schema, at } = content;
    const judge = (value: unknown): Breach | undefined =>
      breachOf(complaintsOf(schema, value), 'the body', at + pointerTo('schema'));
    const type = single(reply.headers['content-type']) ?? '';
    const kind = mediaKindOf(type);
    const sequence = sequenceKindOf(type);
    if (kind !== 'json' && kind !== 'text' && !sequence) return undefined;
    let text: string;
    try {
      text = readText(type, kind, reply);
    } catch (error) {
      return { what: error instanceof Error ? error.message : String(error), at };
    }
    if (sequence) return judgeItems(sequence, content, text, reply.stream?.isOpen ?? false);
    // The standard does not say how a list or an object is written as text.
    if (kind === 'text') return shapeOf(schema) === 'scalar' ? judge(readAsText(schema, text)) : undefined;
    let value: Json;
    try {
      value = parseJson(text);
    } catch (error) {
      return { what: `the body ${error instanceof TooDeep ? error.message : 'is not JSON'}`, at };
    }
    return judge(value);
  };
};

/** Reads a header in the simple style (OAS 3.1, section 4.8.12.2). */
const createReadHeader =
  ({ accepts }: Side, { shapeOf }: Readings) =>
  (header: Field, text: string): Json => {
    const shape = shapeOf(header.schema);
    if (shape === 'scalar') return text;
    // The style cannot express an empty value, but services send one.
    const nothing = shape === 'array' ? [] : {};
    if (text === '' && accepts(header.schema, nothing)) return nothing;
    const parts = text.split(',').map((part) => part.trim());
    if (shape === 'array') return parts;
    const pairs = header.explode
      ? parts.map((part) => [part.split('=', 1).join(), part.replace(/^[^=]*=?/, '')])
      : parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : []));
    return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
  };

/** Makes a function that judges the headers that a reply declares. */
export const createHeaderJudge = (side: Side) => {
  const readings = createReadings(side);
  const readHeader = createReadHeader(side, readings);
  return (header: Field, reply: Reply): Breach | undefined => {
    const { name, isRequired, schema, isJson, at } = header;
    const sent = single(reply.headers[name.toLowerCase()]);
    if (sent === undefined)
      return isRequired
        ? { what: `the header ${name} is missing`, at: at + pointerTo('required') }
        : undefined;
    const judge = (value: Json): Breach | undefined =>
      breachOf(side.complaintsOf(schema, value), `the header ${name}`, at);
    if (/^etag$/i.test(name) && !isEntityTag(sent))
      return { what: `the header ETag is no entity tag (RFC 9110, section 8.8.3): ${sent}`, at };
    if (!isJson) return judge(readings.readAsText(schema, readHeader(header, sent)));
    const read = readJson(sent);
    return read ? judge(read.value) : { what: `the header ${name} is not JSON`, at };
  };
};
