import { bodyKindOf, essenceOf, sequenceKindOf } from '@trellis/openapi/internal/http';
import {
  type Encode,
  followRefs,
  isTree,
  listViolations,
  ownMember,
  toJson,
  valueAt,
} from '@trellis/openapi/internal/json';
import { itemsKindAt, memberAt, typesOf } from '@trellis/openapi/internal/schema';
import { compilePositions } from '../body/multipart/positions.ts';
import { type Validate, violationsIn } from '../validation/validators.ts';
import type { HeaderValue } from './headers.ts';
import { type PartRules, startParts } from './parts.ts';

/** A chunk of a body, ready to send. */
export type Chunk = string | Uint8Array;

/** How a body is sent while it is being made. */
export interface Streaming {
  /** Writes the next item from the handler. Throws if the item cannot be written, or breaks the contract. */
  readonly write: (item: unknown) => Chunk;
  /** Whether the body is complete after any item: true for events and lines, false for the bytes of a file. */
  readonly isSequence: boolean;
  /** Sent periodically while there are no items, so that the connection is not closed as idle. */
  readonly keepAlive: string | undefined;
  /** Header fields of the reply, unless the handler sets them. */
  readonly headers: Readonly<Record<string, HeaderValue>>;
  /** Writes the end of the body, after the last item. */
  readonly end?: () => string;
}

/** How replies are encoded and checked. */
export interface ReplyRules {
  readonly encoderAt: (pointer: string) => Encode;
  /** Validates `{ body }` by the schema at a pointer. */
  readonly validatorAt: (pointer: string) => Validate;
  /** Whether every reply is validated, which costs about as much as encoding it. */
  readonly checked: boolean;
}

const isChunk = (item: unknown): item is Chunk => typeof item === 'string' || item instanceof Uint8Array;

const writeChunk = (item: unknown): Chunk => {
  if (isChunk(item)) return item;
  throw new TypeError('a stream of bytes or text must give texts or bytes (Buffer or Uint8Array)');
};

/** The schema of each item: the `items` schema if the whole sequence is described as a list (OAS 3.2). */
export const itemSchemaAt = (document: unknown, schemaAt: string): string | undefined => {
  if (valueAt(document, schemaAt) === undefined) return undefined;
  const types = typesOf(document, schemaAt);
  if (types.size === 1 && types.has('array')) return memberAt(document, schemaAt, 'items');
  return followRefs(document, schemaAt);
};

/** Writes a field of an event on a single line (HTML, section 9.2.5): a line break would end the field. */
const fieldOf = (name: string, value: unknown): string => {
  if (value === undefined) return '';
  const text = String(value);
  if (/[\r\n\0]/.test(text)) throw new TypeError(`the ${name} of an event must be a single line`);
  return `${name}: ${text}\n`;
};

/** A text as one field for each of its lines. */
const linesOf = (name: string, text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => `${name}: ${line}\n`)
    .join('');

/** An event of an event stream (HTML, section 9.2.6). Data that is no text is written as JSON. */
const writeEvent = (event: object, writeData: Encode): string => {
  const [data, comment] = [ownMember(event, 'data'), ownMember(event, 'comment')];
  const text = typeof data === 'string' || data === undefined ? data : writeData(data);
  return [
    comment === undefined ? '' : linesOf('', String(comment)),
    fieldOf('event', ownMember(event, 'event')),
    fieldOf('id', ownMember(event, 'id')),
    fieldOf('retry', ownMember(event, 'retry')),
    text === undefined ? '' : linesOf('data', text),
    '\n',
  ].join('');
};

/** Keeps proxies from buffering events, and caches from storing them. */
const EVENT_HEADERS = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/**
 * Compiles what starts to stream a body of a media type, in each reply anew; `undefined` if it cannot be streamed: JSON
 * and forms are written as a whole. The items of a sequence are written by their schema, and checked where replies are.
 */
export const compileStreaming = (
  document: unknown,
  mediaType: string,
  schemaAt: string,
  { encoderAt, validatorAt, checked }: ReplyRules,
): (() => Streaming) | undefined => {
  const types = valueAt(document, schemaAt) === undefined ? undefined : typesOf(document, schemaAt);
  const isOfText = types?.size === 1 && types.has('string');
  const hasList = itemsKindAt(document, mediaType, schemaAt) === 'parts';
  const hasParts = hasList || (essenceOf(mediaType) === 'multipart/mixed' && !isOfText);
  const sequence = hasParts ? 'parts' : sequenceKindOf(mediaType);
  if (!sequence) {
    const isWhole = ['json', 'form', 'multipart'].includes(bodyKindOf(mediaType));
    const ofBytes = { write: writeChunk, isSequence: false, keepAlive: undefined, headers: {} };
    return isWhole ? undefined : () => ofBytes;
  }
  /** Compiles how an item is written, and checked. */
  const compileItem = (at: string | undefined) => {
    const encode = at === undefined ? toJson : encoderAt(at);
    const validate = at === undefined || !checked ? undefined : validatorAt(at);
    const check = (json: string): string => {
      const violations = validate ? violationsIn(json, validate) : [];
      if (violations.length > 0) throw new TypeError(`an item of the stream: ${listViolations(violations)}`);
      return json;
    };
    return { encode, check };
  };
  const sequenceOf = (write: Streaming['write'], more?: Partial<Streaming>) => {
    const streaming = { write, isSequence: true, keepAlive: undefined, headers: {}, ...more };
    return () => streaming;
  };

  if (sequence === 'parts') {
    // Members of an object are named parts (OAS 3.1, section 4.8.14.4), and those have no schema in common.
    const positions = compilePositions(document, schemaAt, ({ schemaAt: at, mediaTypes }): PartRules => {
      const { encode, check } = compileItem(hasList ? at : undefined);
      return { writeValue: (value) => check(encode(value)), mediaTypes, isChecked: checked };
    });
    return () => ({ isSequence: true, keepAlive: undefined, ...startParts(mediaType, positions.at) });
  }

  const itemAt = itemSchemaAt(document, schemaAt);
  const { encode, check } = compileItem(itemAt);
  if (sequence === 'lines') return sequenceOf((item) => `${check(encode(item))}\n`);
  if (sequence === 'records') return sequenceOf((item) => `\u001e${check(encode(item))}\n`); // RFC 7464, section 2.2

  const itemTypes = itemAt === undefined ? new Set(['string']) : typesOf(document, itemAt);
  const isText = itemTypes.size === 1 && itemTypes.has('string');
  /** OAS 3.2 describes the whole event; contracts that are older describe its data. */
  const dataAt = itemAt !== undefined && memberAt(document, itemAt, 'properties', 'data');
  const writeData = dataAt ? encoderAt(dataAt) : encode;
  const writeItem = (item: unknown): Chunk => {
    if (isText && isChunk(item)) return item;
    if (!isTree(item)) throw new TypeError('an event must be an object such as { event, data, id }');
    if (!isText) check(dataAt ? toJson(item) : encode(ownMember(item, 'data')));
    return writeEvent(item, isText ? toJson : writeData);
  };
  return sequenceOf(writeItem, { keepAlive: ':\n\n', headers: EVENT_HEADERS });
};
