import type { Readable } from 'node:stream';
import { bodyKindOf, isRange } from '@trellis/openapi/internal/http';
import {
  type ExactValue,
  oncePerKey,
  ownMember,
  plainValue,
  pointerTo,
  valueAt,
} from '@trellis/openapi/internal/json';
import type { RequestHeaders } from '../parameters/places.ts';
import type { AcceptsAt } from '../validation/references.ts';
import type { Share } from './budget.ts';
import { checkDigest, inflaterFor, tooLarge } from './inflate.ts';
import { createMediaTypes } from './media-types.ts';
import { createUploadForm, type FormReading, type ReadMember } from './multipart/upload-form.ts';
import { createBodyParser, type ParseBody } from './parsers.ts';
import { addChunk, type BodySource, joinChunks } from './source.ts';
import { openUpload, type Upload } from './upload.ts';

/** Checks a request before its body is read: the body must be unread, and its `Content-Length` within the limit. */
const checkUnread = ({ stream }: BodySource, headers: RequestHeaders, limit: number): void => {
  if (stream.readableDidRead)
    throw new Error('the body was read before it got here: mount this app before any body parser');
  if (stream.errored) throw stream.errored; // the client hung up during authentication
  if (Number(headers['content-length']) > limit) throw tooLarge(limit);
};

/** The state of a body while it is being read. */
interface Reading {
  chunks: Buffer[];
  readonly resolve: (value: ExactValue | Promise<ExactValue> | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads the body of a request, inflates it within the limit and parses it; `undefined` if it is empty. The body is
 * parsed as soon as it ends, so that its bytes are not kept for another turn. Past the limit, the rest stays in the
 * stream: the sender of the reply discards it, so that the client receives the reply.
 */
const readBody = (
  source: BodySource,
  headers: RequestHeaders,
  limit: number,
  { take }: Share,
  parse: ParseBody,
): Promise<ExactValue | undefined> =>
  new Promise((resolve, reject) => {
    const encoding = headers['content-encoding'];
    const inflater = encoding === undefined ? undefined : inflaterFor(encoding);
    checkUnread(source, headers, limit);
    // Cleared at the end: the functions below live as long as the request, which waits for the store with nothing to read.
    let reading: Reading | undefined = { chunks: [], resolve, reject };
    let leaveRest = (): void => {};
    let size = 0;
    const fail = (error: unknown): void => {
      const failed = reading;
      reading = undefined;
      leaveRest();
      failed?.reject(error);
    };
    const keep = (chunk: Buffer): void => {
      if (!reading) return;
      try {
        size += chunk.length;
        if (size > limit) throw tooLarge(limit);
        take(chunk.length);
        reading.chunks = addChunk(reading.chunks, chunk);
      } catch (error) {
        fail(error);
      }
    };
    const toValue = (bytes: Buffer): ReturnType<ParseBody> | undefined => {
      checkDigest(headers, bytes);
      if (bytes.length === 0) return undefined;
      const inflated = inflater ? inflater.whole(bytes, limit) : bytes;
      if (inflated !== bytes) take(inflated.length);
      return parse(inflated, headers['content-type'] ?? '');
    };
    const finish = (): void => {
      try {
        reading?.resolve(toValue(joinChunks(reading.chunks)));
        reading = undefined;
      } catch (error) {
        fail(error);
      }
    };
    source.stream.on('error', fail);
    leaveRest = source.takeChunks(keep, finish);
    if (!reading) leaveRest(); // the bytes that had arrived were already too many
  });

/** Placeholder for the bytes of a body that has not arrived yet: no schema validates it. */
const NOTHING = Buffer.of();

/** The parts of an exchange that are needed to receive a body. */
export interface BodyExchange {
  readonly request: { readonly headers: RequestHeaders };
  /** `undefined` for a request without a body. */
  readonly body: BodySource | undefined;
  /** The memory of the request. The server releases it after the reply. */
  readonly share: Share;
  /** The body as a stream, for a handler that reads it while it arrives. */
  upload?: Readable | undefined;
}

/** How an operation receives its bodies. */
export type BodyReceiver = ReturnType<typeof createBodyReceiver>;

/** How a body is read while it arrives. */
export interface Opening extends Omit<FormReading, 'share'> {
  readonly limit: number;
}

/** Opens the body of a request as a stream of bytes, and reads the parts of a form from it. */
const openStream = async (
  exchange: BodyExchange,
  body: BodySource,
  opening: Opening & { readonly isRequired: boolean },
  readForm: ReturnType<typeof createUploadForm> | undefined,
): Promise<ExactValue> => {
  const { request, share } = exchange;
  const { limit, isRequired } = opening;
  const {
    'content-type': mediaType = '',
    'content-length': length,
    'content-encoding': encoding,
  } = request.headers;
  checkUnread(body, request.headers, limit);
  const stream = openUpload(body, encoding, limit, isRequired, share);
  exchange.upload = stream;
  const size = length === undefined || encoding !== undefined ? undefined : Number(length);
  const upload: Upload = { stream, mediaType, size };
  return { ...plainValue(readForm ? readForm(upload, { ...opening, share }) : upload), bytes: NOTHING };
};

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
  const open = (exchange: BodyExchange, opening: Opening): ReturnType<typeof receive> => {
    if (mediaTypes.length === 0 || !exchange.body) return undefined;
    const mediaType = exchange.request.headers['content-type'] ?? '';
    const declared = mediaTypeOf(mediaType);
    const kind = bodyKindOf(isRange(declared) ? mediaType : declared);
    if (kind === 'json' || kind === 'form')
      return receive(exchange, Math.min(opening.limit, opening.wholeLimit));
    const readForm = kind === 'multipart' ? formAt(declared) : undefined;
    return openStream(exchange, exchange.body, { ...opening, isRequired }, readForm);
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
