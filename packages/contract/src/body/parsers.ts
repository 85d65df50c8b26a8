import { type BodyKind, bodyKindOf, isRange } from '@trellis/openapi/internal/http';
import { type ExactValue, listOf, memberPlace, oncePerKey, plainValue } from '@trellis/openapi/internal/json';
import { itemsKindAt } from '@trellis/openapi/internal/schema';
import { parseJson, toStorableText, toText } from '../json/parse-json.ts';
import { createFormDecoder } from '../parameters/forms.ts';
import type { AcceptsAt } from '../validation/references.ts';
import { createMultipartDecoder } from './multipart/form.ts';
import { createPositionsParser } from './multipart/positions.ts';

/** Parses the bytes of a body into a value that its schema can validate. */
export type ParseBody = (bytes: Buffer, contentType: string) => ExactValue | Promise<ExactValue>;

const SEPARATORS = { lines: /\r?\n/, records: '\x1e' };

/** Parses a list of JSON values: one per line, or one per record (RFC 7464). */
const createItemsParser =
  (kind: keyof typeof SEPARATORS): ParseBody =>
  (bytes) => {
    const texts = toText(bytes)
      .split(SEPARATORS[kind])
      .filter((text) => text.trim() !== '');
    return listOf(texts.map((text, nth) => parseJson(Buffer.from(text), memberPlace('body', `${nth}`))));
  };

const createParser = (
  document: unknown,
  kind: BodyKind,
  schemaAt: string,
  acceptsAt: AcceptsAt,
): ParseBody => {
  switch (kind) {
    case 'json':
      return (bytes) => parseJson(bytes);
    case 'text':
      return (bytes) => plainValue(toStorableText(bytes));
    case 'binary':
      return (bytes) => ({ ...plainValue(bytes), bytes });
    case 'form':
      return createFormDecoder(document, schemaAt, acceptsAt);
    case 'multipart':
      return createMultipartDecoder(document, schemaAt, acceptsAt).parse;
  }
};

/** Compiles how a body of a declared media type is parsed. For a range (`text/*`) the Content-Type decides. */
export const createBodyParser = (
  document: unknown,
  mediaType: string,
  schemaAt: string,
  acceptsAt: AcceptsAt,
): ParseBody => {
  const items = itemsKindAt(document, mediaType, schemaAt);
  if (items === 'parts') return createPositionsParser(document, schemaAt, acceptsAt);
  if (items) return createItemsParser(items);
  const parserOf = oncePerKey((kind: BodyKind) => createParser(document, kind, schemaAt, acceptsAt));
  if (!isRange(mediaType)) return parserOf(bodyKindOf(mediaType));
  return (bytes, contentType) => parserOf(bodyKindOf(contentType))(bytes, contentType);
};
