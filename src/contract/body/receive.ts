import type { IncomingMessage } from 'node:http';
import type { ExactValue } from '../json/exact-value.ts';
import { ownMember, pointerTo, valueAt } from '../json/pointer.ts';
import type { AcceptsAt } from '../schema/branches.ts';
import type { Share } from './budget.ts';
import { createMediaTypes } from './media-types.ts';
import { createBodyParser, type ParseBody } from './parse-body.ts';
import { hasBody, readBody } from './read.ts';

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
