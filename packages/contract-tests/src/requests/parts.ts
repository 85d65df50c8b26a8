import { covers, isRange, mediaKindOf, sampleOf } from '@trellis/openapi/internal/http';
import { toJson } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import { type Content, encodingAt } from '../document/operations.ts';
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

/** Creates a function that serializes a list as multipart by position; it returns undefined if parts cannot express it. */
export const createPartsWriter = (schemas: Schemas) => {
  const { flatten, accepts, typesOf, itemOf, shapeOf, isSurelyValid, isSurelyWrong } = schemas;
  const isBinary = (schema: Schema): boolean => flatten(schema).some(isOfBytes);

  /** The default media type of a part (OAS 3.2, section 4.15.1.1). */
  const usualOf = (schema: Schema): string => {
    if (isBinary(schema) || typesOf(schema).size === 0) return 'application/octet-stream';
    return shapeOf(schema) === 'scalar' ? 'text/plain; charset=utf-8' : 'application/json';
  };

  /** Whether a text has one meaning: `5` may be a number or a string. */
  const isClear = (schema: Schema, value: Json): boolean =>
    accepts(schema, value) ? isSurelyValid(schema, value) : isSurelyWrong(schema, value);

  const bytesOf = (schema: Schema, mediaType: string, value: Json): Buffer | undefined => {
    if (isBinary(schema)) return typeof value === 'string' ? toBytes(value) : undefined;
    if (mediaKindOf(mediaType) === 'json') return Buffer.from(toJson(value));
    const text = textOf(value);
    const isText = typesOf(schema).size === 0 || (isScalar(value) && isClear(schema, value));
    return isText && !text.startsWith('\ufeff') ? Buffer.from(text) : undefined;
  };

  return (content: Content, value: Json): Buffer | undefined => {
    if (!Array.isArray(value) || value.length === 0) return undefined; // there is at least one part (RFC 2046, section 5.1.1)
    const parts = value.map((item: Json, nth) => {
      const schema = itemOf(content.schema, nth);
      const { mediaTypes, headers } = encodingAt(content, nth);
      const mediaType = memberOfRange(mediaTypes[0] ?? usualOf(schema));
      const bytes = headers.some(({ isRequired }) => isRequired)
        ? undefined
        : bytesOf(schema, mediaType, item);
      return (
        bytes && [
          Buffer.from(`--${BOUNDARY}\r\nContent-Type: ${mediaType}\r\n\r\n`),
          bytes,
          Buffer.from('\r\n'),
        ]
      );
    });
    const written = parts.flatMap((part) => (part ? [Buffer.concat(part)] : []));
    return written.length === parts.length
      ? Buffer.concat([...written, Buffer.from(`--${BOUNDARY}--\r\n`)])
      : undefined;
  };
};
