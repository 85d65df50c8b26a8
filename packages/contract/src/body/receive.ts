import { type BodyKind, bodyKindOf, isRange } from '@trellis/openapi/internal/http';
import {
  type ExactValue,
  listOf,
  memberPlace,
  oncePerKey,
  ownMember,
  plainValue,
  pointerTo,
  valueAt,
} from '@trellis/openapi/internal/json';
import { itemsKindAt } from '@trellis/openapi/internal/schema';
import { parseJson, toStorableText, toText } from '../json/parse-json.ts';
import { createFormDecoder } from '../parameters/forms.ts';
import type { AcceptsAt } from '../validation/references.ts';
import { createMediaTypes } from './media-types.ts';
import { createMultipartDecoder } from './multipart/form.ts';
import { createPositionsParser } from './multipart/positions.ts';
import { createUploadForm, type ReadMember } from './multipart/upload-form.ts';
import { checkDigest, readBody } from './read-body.ts';
import { type BodyExchange, type FormReading, openUpload } from './upload.ts';

/** Parses the bytes of a body into a value that its schema can validate. */
type ParseBody = (bytes: Buffer, contentType: string) => ExactValue | Promise<ExactValue>;

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
const createBodyParser = (
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

/** Placeholder for the bytes of a body that has not arrived yet: no schema validates it. */
const NOTHING = Buffer.of();

/** How an operation receives its bodies. */
export type BodyReceiver = ReturnType<typeof createBodyReceiver>;

/** Compiles how a body is parsed, by its media type. */
const createParse = (
  document: unknown,
  contentAt: string,
  mediaTypeOf: (contentType: string) => string,
  acceptsAt: AcceptsAt,
): ParseBody => {
  const parserOf = oncePerKey((type: string) =>
    createBodyParser(document, type, contentAt + pointerTo(type, 'schema'), acceptsAt),
  );
  return (bytes, contentType) => parserOf(mediaTypeOf(contentType))(bytes, contentType);
};

/** Compiles how the request body that the document declares at a pointer is received. */
export const createBodyReceiver = (
  document: unknown,
  bodyAt: string,
  acceptsAt: AcceptsAt,
  readMember: ReadMember,
) => {
  const contentAt = bodyAt + pointerTo('content');
  const mediaTypes = Object.keys(valueAt(document, contentAt) ?? {});
  const isRequired = ownMember(valueAt(document, bodyAt), 'required') === true;
  const mediaTypeOf = createMediaTypes(mediaTypes);
  const parse = createParse(document, contentAt, mediaTypeOf, acceptsAt);

  /** Reads and parses the body of a request; `undefined` without a body. */
  const receive = (
    { request: { headers }, body, share }: BodyExchange,
    limit: number,
  ): Promise<ExactValue | undefined> | undefined => {
    if (mediaTypes.length === 0) return undefined;
    if (!body) {
      checkDigest(headers, Buffer.alloc(0));
      return undefined;
    }
    // A wrong media type is refused before a byte is read, unless the body may turn out to be empty, and need no type.
    if (isRequired || headers['content-length'] !== undefined) mediaTypeOf(headers['content-type'] ?? '');
    return readBody(body, headers, limit, share, parse);
  };

  const formAt = oncePerKey((type: string) =>
    createUploadForm(document, contentAt + pointerTo(type, 'schema'), acceptsAt, readMember),
  );
  /**
   * Opens the body of a request, to be read while it arrives: bytes as an `Upload`, a form as its parts. JSON and other
   * forms are received as a whole.
   */
  const open = (
    exchange: BodyExchange,
    opening: Omit<FormReading, 'share'> & { readonly limit: number },
  ): ExactValue | ReturnType<typeof receive> => {
    if (mediaTypes.length === 0 || !exchange.body) return undefined;
    const mediaType = exchange.request.headers['content-type'] ?? '';
    const declared = mediaTypeOf(mediaType);
    const kind = bodyKindOf(isRange(declared) ? mediaType : declared);
    if (kind === 'json' || kind === 'form')
      return receive(exchange, Math.min(opening.limit, opening.wholeLimit));
    const upload = openUpload(exchange, exchange.body, opening.limit, isRequired);
    const isForm = kind === 'multipart';
    const value = isForm ? formAt(declared)(upload, { ...opening, share: exchange.share }) : upload;
    return { ...plainValue(value), bytes: NOTHING };
  };

  return {
    /** The media types that are declared; none if the operation takes no body. */
    mediaTypes,
    isRequired,
    mediaTypeOf,
    parse,
    receive,
    open,
  };
};
