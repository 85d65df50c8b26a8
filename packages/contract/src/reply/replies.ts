import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import {
  followRefs,
  isTree,
  listViolations,
  messageOf,
  oncePerKey,
  ownMember,
  pointerSteps,
  pointerTo,
  toJson,
  valueAt,
} from '@trellis/openapi/internal/json';
import { violationsIn } from '../validation/validators.ts';
import { breaks, type Content, compileContents } from './contents.ts';
import { type HeaderValue, REQUEST_ID, writeHeaders } from './headers.ts';
import { isRanged } from './ranged-body.ts';
import { keyFor, type Reply } from './reply.ts';
import type { ReplyRules, Streaming } from './streams.ts';

/** A body that is sent while it is being made: a Readable, a ReadableStream, an async generator. */
export interface StreamedPayload extends Streaming {
  readonly source: AsyncIterable<unknown>;
}

/** Whether a handler's body is to be streamed. */
export const isStream = (body: unknown): body is AsyncIterable<unknown> =>
  isTree(body) && Symbol.asyncIterator in body;

/** Whether the payload of a reply is streamed. */
export const isStreamed = (payload: unknown): payload is StreamedPayload =>
  isTree(payload) && 'source' in payload;

/** Closes a stream that is not going to be sent: it may be a file that is open. */
export const closeStream = (source: AsyncIterable<unknown>): void => {
  if (source instanceof Readable) source.on('error', () => {}).destroy();
  else if (source instanceof ReadableStream) source.cancel().catch(() => {});
  else Promise.resolve(source[Symbol.asyncIterator]().return?.()).catch(() => {});
};

/** A reply, ready to send. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly payload: string | Buffer | StreamedPayload;
}

/** A declared response, compiled. */
interface Response {
  /** Whether it answers HEAD, and so has no content. */
  readonly isHead: boolean;
  readonly contents: ReturnType<typeof compileContents>;
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, unknown>;
  readonly requiredHeaders: readonly string[];
}

/** Adds `Content-Length` if the size of the body is known and its items are sent unchanged. */
const streamedPayload = (streaming: Streaming, source: AsyncIterable<unknown>): StreamedPayload =>
  isRanged(source) && !streaming.isSequence
    ? { ...streaming, headers: { ...streaming.headers, 'Content-Length': source.size }, source }
    : { ...streaming, source };

const compileResponse = (document: unknown, rules: ReplyRules, at: string, isHead: boolean): Response => {
  const headersAt = at + pointerTo('headers');
  const names = Object.keys(valueAt(document, headersAt) ?? {});
  const headers = new Map(
    names.map((name) => [
      name.toLowerCase(),
      valueAt(document, followRefs(document, headersAt + pointerTo(name))),
    ]),
  );
  return {
    isHead,
    contents: compileContents(document, rules, at + pointerTo('content')),
    headers,
    requiredHeaders: names.filter((name) => {
      const key = name.toLowerCase();
      return key !== REQUEST_ID && ownMember(headers.get(key), 'required') === true;
    }),
  };
};

/** Throws if a reply lacks a required header, or has a body that its schema does not accept. */
const check = (
  validatorAt: ReplyRules['validatorAt'],
  { isHead, requiredHeaders }: Response,
  { status, body }: Reply,
  { headers, payload }: WireReply,
  content: Content | undefined,
): void => {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const missing = requiredHeaders.filter((name) => !names.includes(name.toLowerCase()));
  if (missing.length > 0) breaks(`status ${status} wants the header ${missing.join(', ')}`);
  if (content?.schemaAt === undefined || typeof payload !== 'string') return;
  if (body === undefined && isHead) return;
  if (body === undefined) breaks(`status ${status} wants a body`);
  const json = content.isJson ? payload : toJson(isTree(body) ? payload : body);
  const violations = violationsIn(json, validatorAt(content.schemaAt));
  if (violations.length > 0) breaks(`status ${status}: ${listViolations(violations)}`);
};

const writePayload = ({ status, body }: Reply, content: Content | undefined): WireReply['payload'] => {
  if (isStream(body)) {
    const startStreaming = content?.streaming();
    if (startStreaming) return streamedPayload(startStreaming(), body);
    closeStream(body);
    breaks(`status ${status}: ${content?.mediaType ?? 'a reply without content'} cannot be streamed`);
  }
  if (body === undefined || content === undefined) return '';
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  try {
    return content.encode(body);
  } catch (error) {
    return breaks(`status ${status}: ${messageOf(error)}`, error);
  }
};

/** Finds the media type of a reply: the one that the handler names, else the first that the body can be written in. */
const contentOf = (
  { contents: { first, firstStreamed, find } }: Response,
  contentType: HeaderValue | undefined,
  body: unknown,
): Content | undefined => {
  if (contentType !== undefined && first) return find(String(contentType));
  return isStream(body) ? firstStreamed() : first;
};

/**
 * Compiles how the replies of an operation are written: by the response of their status, else of its range (`4XX`), else
 * the default.
 */
export const createReplies = (document: unknown, rules: ReplyRules) => (responsesAt: string) => {
  const isHead = pointerSteps(responsesAt).at(-2) === 'head'; // responses stand under their method
  const responses = valueAt(document, responsesAt);
  const declared = new Map(
    Object.keys(responses ?? {}).map((key) => [
      key,
      compileResponse(document, rules, followRefs(document, responsesAt + pointerTo(key)), isHead),
    ]),
  );
  const responseFor = oncePerKey(
    (status: number) =>
      declared.get(keyFor(responses, status) ?? '') ?? breaks(`status ${status} is not declared`),
  );

  return (reply: Reply, isChecked = rules.checked): WireReply => {
    const { status } = reply;
    const response = responseFor(status);
    const headers = reply.headers ? writeHeaders(reply.headers, response.headers) : {};
    const content = contentOf(response, headers['Content-Type'], reply.body);
    const payload = writePayload(reply, content);
    const sent = { status, payload, headers };
    if (isChecked) check(rules.validatorAt, response, reply, sent, content);
    const streamed = isStreamed(payload) ? payload.headers : {};
    if (streamed['Content-Type'] !== undefined) headers['Content-Type'] = streamed['Content-Type']; // has a boundary
    if (payload !== '' && content?.mediaType !== undefined) headers['Content-Type'] ??= content.mediaType;
    // RFC 9110, section 8.6: a reply that cannot have content has no Content-Length, or the Content-Length of a GET.
    const isLeftOut = status === 204 || (payload === '' && (isHead || status === 304));
    if (isStreamed(payload)) for (const name in streamed) headers[name] ??= streamed[name] ?? '';
    else if (!isLeftOut) headers['Content-Length'] = Buffer.byteLength(payload);
    return sent;
  };
};
