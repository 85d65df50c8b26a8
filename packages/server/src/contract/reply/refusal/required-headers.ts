import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import { createValues } from '@trellis/openapi/values';
import { type HeaderValue, writeHeaders } from '../headers.ts';
import { type MoreHeaders, NO_HEADERS } from './form.ts';

/** Headers that every reply has, or that are not the contract's to set. */
const OURS = new Set(['x-request-id', 'content-type', 'content-length', 'transfer-encoding', 'connection']);

/** RFC 9110, section 5.5. */
const isSendable = (value: HeaderValue): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(String(value));

/** Makes examples of the headers that the response at a pointer requires. */
export const createRequiredHeaders = (document: unknown) => {
  const makeValue = createValues(document);
  return (responseAt: string): MoreHeaders => {
    const at = responseAt + pointerTo('headers');
    const required = Object.keys(valueAt(document, at) ?? {})
      .filter((name) => !OURS.has(name.toLowerCase()))
      .map((name) => {
        const headerAt = followRefs(document, at + pointerTo(name));
        return { name, headerAt, header: valueAt(document, headerAt) };
      })
      .filter(({ header }) => ownMember(header, 'required') === true);
    if (required.length === 0) return NO_HEADERS;
    const written = writeHeaders(
      Object.fromEntries(
        required.map(({ name, headerAt, header }) => [
          name,
          ownMember(header, 'example') ?? makeValue(headerAt + pointerTo('schema')).value,
        ]),
      ),
      new Map(required.map(({ name, header }) => [name.toLowerCase(), header])),
    );
    return Object.fromEntries(Object.entries(written).filter(([, value]) => isSendable(value)));
  };
};
