import type { IncomingMessage } from 'node:http';
import { type BodyKind, bodyKindOf } from '@trellis/openapi/http';
import {
  type ExactValue,
  oncePerKey,
  ownMember,
  plainValue,
  pointerTo,
  valueAt,
} from '@trellis/openapi/json';
import { findUnstorableText, parseJson, toText } from '../json/parse-json.ts';
import type { AcceptsAt } from '../validation/branches.ts';
import type { Share } from './budget.ts';
import { createFormDecoder } from './forms.ts';
import { createMediaTypes, isRange } from './media-types.ts';
import { createMultipartDecoder } from './multipart.ts';
import { hasBody, type ParseBody, readBody } from './read.ts';

const parseText = (bytes: Buffer): ExactValue => {
  const value = toText(bytes);
  return { value, exact: undefined, unstorable: findUnstorableText(value) };
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
      return parseText;
    case 'binary':
      return (bytes) => ({ ...plainValue(bytes), bytes });
    case 'form':
      return createFormDecoder(document, schemaAt, acceptsAt);
    case 'multipart':
      return createMultipartDecoder(document, schemaAt, acceptsAt);
  }
};

/** Compiles how a body of a declared media type is parsed. For a range (`text/*`) the Content-Type decides. */
const createBodyParser = (
  document: unknown,
  mediaType: string,
  schemaAt: string,
  acceptsAt: AcceptsAt,
): ParseBody => {
  const parserOf = oncePerKey((kind: BodyKind) => createParser(document, kind, schemaAt, acceptsAt));
  if (!isRange(mediaType)) return parserOf(bodyKindOf(mediaType));
  return (bytes, contentType) => parserOf(bodyKindOf(contentType))(bytes, contentType);
};

/** How an operation receives its bodies. */
export interface BodyReceiver {
  /** The media types that are declared; none if the operation takes no body. */
  readonly mediaTypes: readonly string[];
  readonly isRequired: boolean;
  /** The declared media type that a Content-Type means; throws 415 for any other. */
  readonly mediaTypeOf: (contentType: string) => string;
  readonly parse: ParseBody;
  /** Reads and parses the body of a request; `undefined` if there is none. */
  readonly receive: (
    request: IncomingMessage,
    limit: number,
    share: Share,
  ) => Promise<ExactValue | undefined> | undefined;
}

/** Compiles how the request body that the document declares at a pointer is received. */
export const createBodyReceiver = (document: unknown, bodyAt: string, acceptsAt: AcceptsAt): BodyReceiver => {
  const contentAt = bodyAt + pointerTo('content');
  const mediaTypes = Object.keys(valueAt(document, contentAt) ?? {});
  const isRequired = ownMember(valueAt(document, bodyAt), 'required') === true;
  const mediaTypeOf = createMediaTypes(mediaTypes);
  const parsers = new Map(
    mediaTypes.map((type) => [
      type,
      createBodyParser(document, type, contentAt + pointerTo(type, 'schema'), acceptsAt),
    ]),
  );

  const parse: ParseBody = (bytes, contentType) => {
    const parser = parsers.get(mediaTypeOf(contentType));
    if (!parser) throw new Error(`openapi.yaml: there is no request body at ${bodyAt}`);
    return parser(bytes, contentType);
  };

  const receive: BodyReceiver['receive'] = (request, limit, share) => {
    const { headers } = request;
    if (mediaTypes.length === 0 || !hasBody(request)) return undefined;
    // A wrong media type is refused before a byte is read, unless the body may turn out to be empty, and need no type.
    if (isRequired || headers['content-length'] !== undefined) mediaTypeOf(headers['content-type'] ?? '');
    return readBody(request, limit, share, parse);
  };

  return { mediaTypes, isRequired, mediaTypeOf, parse, receive };
};
