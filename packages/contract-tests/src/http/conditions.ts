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

/** Compares a 206 with the range of bytes that was asked for (RFC 9110, sections 14.4 and 15.3.7). */
const partFaultOf = (whole: Reply, reply: Reply, first: number, last: number): string | undefined => {
  const said = single(reply.headers['content-range']);
  const right = `bytes ${first}-${last}/${whole.body.length}`;
  if (said !== right && said !== `bytes ${first}-${last}/*`)
    return `Content-Range ${said ?? 'missing'}, where ${right} is right`;
  if (!reply.body.equals(whole.body.subarray(first, last + 1)))
    return 'the body is not this range of the whole';
  const [tag, own] = [tagOf(whole), tagOf(reply)];
  return tag === own ? undefined : `206 with ETag ${own ?? 'missing'}, where the whole has ${tag ?? 'none'}`;
};

/** Range requests for a known body. A service may always answer with all of it (RFC 9110, section 14.2). */
export const rangesBeside = (whole: Reply): Comparison[] => {
  const size = whole.body.length;
  if (size < 2) return [];
  const wholeFaultOf = (reply: Reply, right: string): string | undefined => {
    if (reply.status !== 200) return `expected ${right}, got ${reply.status}`;
    return reply.body.equals(whole.body) ? undefined : '200 to a range, and not the whole';
  };
  const partOf = (range: string, first: number, last: number, more = {}): Comparison => ({
    fields: { Range: `bytes=${range}`, ...more },
    faultOf: (reply) =>
      reply.status === 206 ? partFaultOf(whole, reply, first, last) : wholeFaultOf(reply, '206 or 200'),
  });
  const beyond: Comparison = {
    fields: { Range: `bytes=${size}-` },
    faultOf: (reply) => {
      if (reply.status !== 416) return wholeFaultOf(reply, '416 or 200');
      const said = single(reply.headers['content-range']) ?? `bytes */${size}`;
      return said === `bytes */${size}` ? undefined : `Content-Range ${said}, where bytes */${size} is right`;
    },
  };
  const tag = tagOf(whole);
  const sameVersion = tag !== undefined && isStrong(tag) ? [partOf('0-0', 0, 0, { 'If-Range': tag })] : [];
  const otherVersion: Comparison = {
    fields: { Range: 'bytes=0-0', 'If-Range': staleOf(tag ?? '""') },
    faultOf: (reply) => wholeFaultOf(reply, '200'),
  };
  return [
    partOf('0-0', 0, 0),
    partOf('1-', 1, size - 1),
    partOf('-1', size - 1, size - 1),
    partOf(`0-${size * 2}`, 0, size - 1),
    partOf(`-${size * 2}`, 0, size - 1),
    beyond,
    ...sameVersion,
    otherVersion,
  ];
};
