import { writeSegment } from '@trellis/openapi/http';
import { isTree, ownMember, toJson } from '@trellis/openapi/json';
import type { Reply } from './reply.ts';

/** The value of a header. A list is sent as several lines: cookies cannot share one (RFC 6265, section 3). */
export type HeaderValue = string | number | readonly string[];

/** A header as text: in style `simple`, the only one for headers, or as JSON if it is declared by `content`. */
const headerText = (header: unknown, value: unknown): string => {
  if (!isTree(value)) return String(value);
  if (ownMember(header, 'content') !== undefined || value instanceof Date) return toJson(value);
  return writeSegment({ name: '', explode: ownMember(header, 'explode') === true }, value, (text) => text);
};

/** We send these ourselves, and only once, whatever case a handler writes them in. */
const OURS = new Map([
  ['content-type', 'Content-Type'],
  ['content-length', 'Content-Length'],
]);

/** The headers of a handler's reply, as text. `declared` has their declarations by name, in lower case. */
export const writeHeaders = (
  headers: NonNullable<Reply['headers']>,
  declared: ReadonlyMap<string, unknown>,
): Record<string, HeaderValue> => {
  const written: Record<string, HeaderValue> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const key = name.toLowerCase();
    written[OURS.get(key) ?? name] =
      key === 'set-cookie' && Array.isArray(value) ? value.map(String) : headerText(declared.get(key), value);
  }
  return written;
};
