import { followRefs, ownMember, pointerTo, valueAt } from '../json/pointer.ts';

/** A relative reference that is surely one: most other texts are references, too (RFC 3986, section 4.2). */
const RELATIVE = /^(?:\.{0,2}\/|[?#])/;

/**
 * Replaces each relative reference in a value by a URL. Contracts write `/users/7` as an example of `format: uri`, which
 * strictly is an absolute URL.
 *
 * @example
 * withAbsoluteUrls({ next: '/users?page=2' }); // { next: 'https://example.com/users?page=2' }
 */
export const withAbsoluteUrls = (value: unknown): unknown => {
  if (typeof value === 'string') return RELATIVE.test(value) ? `https://example.com${value}` : value;
  if (Array.isArray(value)) return value.map(withAbsoluteUrls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withAbsoluteUrls(member)]));
};

/** The examples of a media type, a parameter or a header, in document order. */
export const examplesAt = (document: unknown, at: string): unknown[] => {
  const place = valueAt(document, at);
  const named = Object.keys(ownMember(place, 'examples') ?? {}).map((name) =>
    ownMember(valueAt(document, followRefs(document, at + pointerTo('examples', name))), 'value'),
  );
  return [ownMember(place, 'example'), ...named].filter((value) => value !== undefined);
};
