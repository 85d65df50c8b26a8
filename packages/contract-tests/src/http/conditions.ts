import { type Reply, single } from '../requests/call.ts';
import type { Comparison } from './attempt.ts';

/** Whether a text is an entity tag, strong or weak (RFC 9110, section 8.8.3). */
export const isEntityTag = (text: string): boolean => /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(text);

/** The entity tag of a reply; `undefined` without a valid one. */
export const tagOf = ({ headers }: Reply): string | undefined => {
  const tag = single(headers.etag);
  return tag !== undefined && isEntityTag(tag) ? tag : undefined;
};

/** Whether a tag promises equal bytes. */
export const isStrong = (tag: string): boolean => tag.startsWith('"');

/** Creates another tag of the same form. */
export const staleOf = (tag: string): string => {
  const changed = tag.replace(/[0-9a-z](?=[^0-9a-z]*$)/i, (last) => (last === '0' ? '1' : '0'));
  return changed === tag ? '"stale"' : changed;
};

/**
 * Conditional GETs after a reply (RFC 9110, section 13.1.2), which compare tags weakly. If the contract
 * does not declare 304, a service may ignore the condition.
 */
export const conditionsBeside = (tag: string, isPromised: boolean): Comparison[] => {
  const other = isStrong(tag) ? `W/${tag}` : tag.slice(2);
  const sameOf = (reply: Reply): string | undefined => {
    const again = single(reply.headers.etag);
    if (reply.status === 412 || (reply.status === 200 && isPromised))
      return `expected 304, got ${reply.status}`;
    // Section 15.4.5.
    return reply.status === 304 && again !== tag
      ? `304 with ETag ${again ?? 'missing'}, not ${tag}`
      : undefined;
  };
  const changedOf = ({ status }: Reply): string | undefined =>
    status === 304 ? 'expected 200, got 304 for another tag' : undefined;
  const stale = staleOf(tag);
  return [
    ...[tag, `${stale}, ${tag}`, other, '*'].map((tags) => ({
      fields: { 'If-None-Match': tags },
      faultOf: sameOf,
    })),
    { fields: { 'If-None-Match': stale }, faultOf: changedOf },
  ];
};
