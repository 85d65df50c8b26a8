import { writeSegment } from '@trellis/openapi/internal/http';
import { isTree, ownMember, toJson } from '@trellis/openapi/internal/json';
import type { Reply } from './reply.ts';

/** The value of a header. A list is sent as several lines: cookies cannot share one (RFC 6265, section 3). */
export type HeaderValue = string | number | readonly string[];

/** The fields whose dates are written as HTTP does (RFC 9110, section 5.6.7). Others have dates of ISO 8601. */
const HTTP_DATES = new Set(['date', 'expires', 'last-modified', 'retry-after', 'sunset']);

/**
 * Writes a header as text: in style `simple`, the only style for headers, or as JSON if it is declared by `content`. A
 * value with its own text form, such as a URL, uses that form.
 */
export const headerText = (key: string, header: unknown, given: unknown): string => {
  if (!isTree(given)) return String(given);
  if (given instanceof Date && HTTP_DATES.has(key)) return given.toUTCString();
  if (ownMember(header, 'content') !== undefined) return toJson(given);
  return writeSegment({ name: '', explode: ownMember(header, 'explode') === true }, given, (text) => text);
};

/** The service reads or sends these itself: they have one spelling, whatever a handler writes, and are sent once. */
const OURS: ReadonlyMap<string, string> = new Map(
  [
    ...['Content-Type', 'Content-Length', 'Cache-Control', 'X-Accel-Buffering'],
    ...['ETag', 'Last-Modified', 'Accept-Ranges'],
  ].map((name) => [name.toLowerCase(), name]),
);

/** The header of the request id, in lower case. Every reply has it, and a handler cannot replace it. */
export const REQUEST_ID = 'x-request-id';

/** The headers of a handler's reply, as text. `declared` has their declarations by name, in lower case. */
export const writeHeaders = (
  headers: NonNullable<Reply['headers']>,
  declared: ReadonlyMap<string, unknown>,
): Record<string, HeaderValue> => {
  const written: Record<string, HeaderValue> = {};
  for (const name in headers) {
    const value = headers[name];
    const key = name.toLowerCase();
    if (value === undefined || key === REQUEST_ID) continue;
    written[OURS.get(key) ?? name] =
      key === 'set-cookie' && Array.isArray(value)
        ? value.map(String)
        : headerText(key, declared.get(key), value);
  }
  return written;
};
