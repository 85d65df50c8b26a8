import { DECLARED_PROBLEMS, Problem } from '../problems/problem.ts';
import { isRanged } from '../reply/ranged-body.ts';
import { isStreamed, type WireReply } from '../reply/replies.ts';
import { type Current, type FindField, isSameStrongly } from './entity-tags.ts';

/** One range. Several may be answered with the whole (RFC 9110, section 14.2), and are. */
const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/** The bytes of a range, from `start` up to but without `end`; `undefined` if the range must be ignored. */
const findRange = (range: string, size: number): { start: number; end: number } | undefined => {
  const [, first = '', last = ''] = ONE_RANGE.exec(range.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size);
  if (start < end) return { start, end };
  throw new Problem(DECLARED_PROBLEMS.rangeNotSatisfiable, `there are ${size} bytes, and none in the range`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
};

/** RFC 9110, section 13.1.5: the range is meant for one version, given by its strong tag or its exact date. */
const isMeantFor = ({ tag, lastModified }: Current, ifRange: string | undefined): boolean =>
  ifRange === undefined ||
  isSameStrongly(tag, ifRange.trim()) ||
  (lastModified !== undefined && Date.parse(ifRange) === Date.parse(lastModified));

/** How many bytes a payload has, if they can be had from anywhere in it. */
const sizeOf = (payload: WireReply['payload']): number | undefined => {
  if (!isStreamed(payload)) return Buffer.byteLength(payload);
  return isRanged(payload.source) && !payload.isSequence ? payload.source.size : undefined;
};

const slice = (payload: WireReply['payload'], start: number, end: number): WireReply['payload'] => {
  if (typeof payload === 'string') return Buffer.from(payload).subarray(start, end);
  if (!isStreamed(payload)) return payload.subarray(start, end);
  return isRanged(payload.source) ? { ...payload, source: payload.source.slice(start, end) } : payload;
};

/** Cuts a reply to the requested range (RFC 9110, section 14). Throws a 416 if no bytes are in the range. */
export const cutToRange = (reply: WireReply, field: FindField, current: Current): WireReply => {
  const { headers, payload } = reply;
  const size = sizeOf(payload);
  if (size === undefined) return reply;
  const whole = { ...reply, headers: { ...headers, 'Accept-Ranges': 'bytes' } };
  const asked = field('range');
  if (asked === undefined || !isMeantFor(current, field('if-range'))) return whole;
  const range = findRange(asked, size);
  if (!range) return whole;
  const { start, end } = range;
  return {
    status: 206,
    headers: {
      ...whole.headers,
      'Content-Length': end - start,
      'Content-Range': `bytes ${start}-${end - 1}/${size}`,
    },
    payload: slice(payload, start, end),
  };
};
