import { covers, isRange, mediaKindOf, sampleOf } from '@trellis/openapi/internal/http';
import { toJson } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import { type Content, encodingAt, type PartEncoding } from '../document/operations.ts';
import { type Json, textOf } from '../values/json.ts';
import type { Schema, SchemaObject } from '../values/schema.ts';
import { isScalar } from './styles.ts';

/** The boundary of multipart bodies. No generated value contains it. */
export const BOUNDARY = 'contract-tests-boundary';

/** Picks a media type from a range. */
export const memberOfRange = (range: string): string => {
  const isOfBytes = isRange(range) && covers(range, 'application/octet-stream');
  return isOfBytes ? 'application/octet-stream' : sampleOf(range);
};

/** One byte per character, since lengths of binary data are counted in bytes. */
const toBytes = (text: string): Buffer => Buffer.from(Array.from(text, (sign) => sign.codePointAt(0) ?? 0));

/** Whether the values of a flat schema are bytes. */
export const isOfBytes = ({ format, contentMediaType, contentEncoding }: SchemaObject): boolean =>
  format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined);

/** The default media type of a part (OAS 3.2, section 4.15.1.1). */
const usualMediaType = ({ typesOf, shapeOf }: Schemas, schema: Schema, isBinary: boolean): string => {
  if (isBinary || typesOf(schema).size === 0) return 'application/octet-stream';
  return shapeOf(schema) === 'scalar' ? 'text/plain; charset=utf-8' : 'application/json';
};

/** Whether a text has one meaning: `5` may be a number or a string. */
const isClear = ({ accepts, isSurelyValid, isSurelyWrong }: Schemas, schema: Schema, value: Json): boolean =>
  accepts(schema, value) ? isSurelyValid(schema, value) : isSurelyWrong(schema, value);

const writePart = (
  schemas: Schemas,
  schema: Schema,
  encoding: PartEncoding,
  value: Json,
): Buffer | undefined => {
  if (encoding.headers.some(({ isRequired }) => isRequired)) return undefined;
  const isBinary = schemas.flatten(schema).some(isOfBytes);
  const mediaType = memberOfRange(encoding.mediaTypes[0] ?? usualMediaType(schemas, schema, isBinary));
  const part = (bytes: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\nContent-Type: ${mediaType}\r\n\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]);
  if (isBinary) return typeof value === 'string' ? part(toBytes(value)) : undefined;
  if (mediaKindOf(mediaType) === 'json') return part(Buffer.from(toJson(value)));
  const text = textOf(value);
  const isText = schemas.typesOf(schema).size === 0 || (isScalar(value) && isClear(schemas, schema, value));
  return isText && !text.startsWith('\ufeff') ? part(Buffer.from(text)) : undefined;
};

/** Serializes a list as multipart by position; returns undefined if parts cannot express it. */
export const writeParts = (schemas: Schemas, content: Content, list: readonly Json[]): Buffer | undefined => {
  const parts = list.map((item, nth) =>
    writePart(schemas, schemas.itemOf(content.schema, nth), encodingAt(content, nth), item),
  );
  const written = parts.filter((part) => part !== undefined);
  const end = Buffer.from(`--${BOUNDARY}--\r\n`);
  return written.length === parts.length ? Buffer.concat([...written, end]) : undefined;
};
