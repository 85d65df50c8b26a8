import { createHash } from 'node:crypto';
import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import type { RequestHead } from '../parameters/places.ts';
import { isRanged } from '../reply/ranged-body.ts';
import { closeStream, isStreamed, type WireReply } from '../reply/replies.ts';
import { keyFor } from '../reply/reply.ts';
import { type Current, evaluatePreconditions, preconditionFailed, toEntityTag } from './entity-tags.ts';
import { cutToRange } from './ranges.ts';

/** Applies the conditional headers of a request to its reply: returns a 304, a range, or the reply with its ETag. */
export type Condition = (reply: WireReply, head: RequestHead) => WireReply;

/** The operation that replies are made conditional for. */
export interface ConditionalOperation {
  /** In lower case. */
  readonly method: string;
  /** The pointer of its responses. */
  readonly responsesAt: string;
  /** The names of its header parameters. */
  readonly parameters: readonly string[];
}

const namesIn = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.map((name) => name.toLowerCase()));

/** RFC 9110, section 15.4.5: a 304 has no metadata of the content that it does not have. */
const NOT_IN_304 = /^(?:content-(?!location$).*|last-modified|accept-ranges)$/i;

const hashOf = ({ headers, payload }: WireReply): string | undefined =>
  isStreamed(payload)
    ? undefined
    : createHash('sha256').update(`${headers['Content-Type']}\n`).update(payload).digest('base64url');

/** The version of a reply: from its header, else from its body, else a hash. */
const currentOf = (reply: WireReply, isHashed: boolean): Current => {
  const { headers, payload } = reply;
  const body = isStreamed(payload) && isRanged(payload.source) ? payload.source : undefined;
  const version = headers.ETag ?? body?.version ?? (isHashed ? hashOf(reply) : undefined);
  const lastModified = headers['Last-Modified'] ?? body?.lastModified?.toUTCString();
  return {
    tag: version === undefined ? undefined : toEntityTag(String(version)),
    lastModified: lastModified === undefined ? undefined : String(lastModified),
  };
};

const withVersion = (reply: WireReply, { tag, lastModified }: Current): WireReply => ({
  ...reply,
  headers: {
    ...reply.headers,
    ...(tag !== undefined && { ETag: tag }),
    ...(lastModified !== undefined && { 'Last-Modified': lastModified }),
  },
});

/**
 * Compiles how the replies of an operation obey preconditions and ranges; `undefined` if the operation declares nothing
 * of that. See docs/how-to/cache-and-retry.md for what declares it.
 */
export const compileCondition = (
  document: unknown,
  { method, responsesAt, parameters }: ConditionalOperation,
): Condition | undefined => {
  const responses = valueAt(document, responsesAt);
  const headersOf = (key: string): ReadonlySet<string> => {
    const response = followRefs(document, responsesAt + pointerTo(key));
    return namesIn(Object.keys(valueAt(document, response + pointerTo('headers')) ?? {}));
  };
  const asked = namesIn(parameters);
  const has = (status: string): boolean => ownMember(responses, status) !== undefined;
  if (method !== 'get' && method !== 'head')
    return Object.keys(responses ?? {}).some(
      (key) => /^(?:2|default$)/.test(key) && headersOf(key).has('etag'),
    )
      ? (reply) => (reply.status < 300 ? withVersion(reply, currentOf(reply, false)) : reply)
      : undefined;

  const headers = headersOf(keyFor(responses, 200) ?? '');
  const isRangeable = has('206') || headers.has('accept-ranges') || asked.has('range');
  const isConditional =
    isRangeable || // a client that puts ranges together must know that they are of one version
    has('304') ||
    headers.has('etag') ||
    headers.has('last-modified') ||
    ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'].some((name) => asked.has(name));
  if (!isConditional) return undefined;

  return (reply, head) => {
    // RFC 9110, section 13.2.1: preconditions are ignored where the reply would be another than a success.
    if (reply.status !== 200) return reply;
    const field = (name: string): string | undefined => head.headers[name]?.toString();
    const current = currentOf(reply, method === 'get');
    const sent = withVersion(reply, current);
    // Something is there: `*` matches it, whatever its version.
    const outcome = evaluatePreconditions(field, { ...current, tag: current.tag ?? '' }, true);
    if (outcome === 'perform')
      return isRangeable && method === 'get'
        ? cutToRange(sent, head.method === 'HEAD' ? () => undefined : field, current)
        : sent;
    if (isStreamed(reply.payload)) closeStream(reply.payload.source);
    if (outcome === 'failed') throw preconditionFailed();
    const headers = Object.entries(sent.headers).filter(([name]) => !NOT_IN_304.test(name));
    return { status: 304, headers: Object.fromEntries(headers), payload: '' };
  };
};
