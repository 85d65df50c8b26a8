import type { ServerResponse } from 'node:http';
import {
  createRefusal,
  isStreamed,
  type Refuse,
  type Share,
  type StreamedPayload,
  type WireReply,
} from '@trellis/contract/internal';
import { Problem } from '@trellis/contract/internal/handlers';
import type { StreamOutcome } from '../observe/request-metrics.ts';
import { addCrossOrigin } from './cross-origin.ts';
import { isFlushed, onFlushed } from './flushed.ts';
import { problemOfHttpError } from './http-error.ts';
import { sendStream } from './stream.ts';

declare module 'http' {
  interface ServerResponse {
    /** Called before a reply is sent while its request has not been read to the end. */
    beforeEarlyReply?(): void;
  }
}

/** How much of a path an error message repeats: the message is in memory until the client reads it. */
const MAX_PATH = 1024;

/** The Problem of a request for a path that does not exist, maybe because it is below none of the base paths. */
export const noSuchPath = (path: string, basePaths: readonly string[] = []): Problem => {
  const shown = path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
  const bases = basePaths.some((base) => base === '' || `${path}/`.startsWith(`${base}/`)) ? [] : basePaths;
  return new Problem(
    'noSuchPath',
    `there is nothing at ${shown}${bases.length === 0 ? '' : `; the operations are below ${bases.join(' or ')}`}`,
  );
};

/** Refuses requests where nobody knows the contract. */
export const refusePlainly: Refuse = createRefusal({});

/** A reply whose payload may be a list of buffers, which many replies share. */
type SentReply = Omit<WireReply, 'payload'> & { readonly payload: WireReply['payload'] | readonly Buffer[] };

/** A payload that is complete. */
type WholePayload = Exclude<SentReply['payload'], StreamedPayload>;

/**
 * Sends a text in one write together with the header. `end(text)` would give the system two buffers, the second one
 * empty: that costs some 5 µs more.
 */
const endWithText = (response: ServerResponse, text: string, bytes: unknown): void => {
  response.write(text, bytes === text.length ? 'latin1' : 'utf8'); // the same bytes, and cheaper, if all is ASCII
  response.socket?.uncork();
  response.end();
};

const endWith = (response: ServerResponse, payload: WholePayload, headers: WireReply['headers']): void => {
  if (typeof payload === 'string' && payload !== '')
    endWithText(response, payload, headers['Content-Length']);
  else if (typeof payload === 'string' || Buffer.isBuffer(payload)) response.end(payload);
  else {
    response.cork();
    for (const part of payload) response.write(part);
    response.end();
  }
};

/** Until the client has read its reply, the reply takes memory in place of the request, unless many share its payload. */
const releaseOnceFlushed = (response: ServerResponse, share: Share, payload: WholePayload): void => {
  if (!isFlushed(response)) share.resize(Array.isArray(payload) ? 0 : payload.length);
  onFlushed(response, share.release);
};

/** The header fields of a reply, as a list, because an object costs Node some 3 µs more. */
const fieldsOf = (response: ServerResponse, headers: WireReply['headers']): (string | number)[] => {
  const { record } = response;
  const fields: (string | number)[] = record ? ['X-Request-Id', record.id] : [];
  if (record?.trace) fields.push('traceresponse', record.trace.traceparent);
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (typeof value === 'object') for (const line of value) fields.push(name, line);
    else fields.push(name, value);
  }
  if (response.crossOriginFields) addCrossOrigin(response, fields);
  return fields;
};

const sendHead = (response: ServerResponse, { status, headers }: SentReply): ServerResponse => {
  const fields = fieldsOf(response, headers);
  if (!response.req.complete) response.beforeEarlyReply?.();
  return response.writeHead(status, fields);
};

/** Sends a reply whose body is still being made. Its request is finished once the body is. */
const sendStreamed = async (
  response: ServerResponse,
  reply: SentReply,
  payload: StreamedPayload,
): Promise<void> => {
  const { record } = response;
  const length = reply.headers['Content-Length'];
  record?.share.release(); // what is in memory of a stream is bounded by what the client has not read
  const outcome = await sendStream(
    response,
    payload,
    length === undefined ? undefined : Number(length),
    () => void sendHead(response, reply),
  );
  if (outcome.end === 'failed') return sendError(response, outcome.error, outcome);
  record?.finish(response, response.headersSent ? reply.status : undefined, outcome);
};

/**
 * Sends a reply with the id of its request, and finishes the request's record. Every reply is sent by this function.
 */
export const send = (response: ServerResponse, reply: SentReply): void => {
  const { payload } = reply;
  if (isStreamed(payload)) {
    void sendStreamed(response, reply, payload);
    return;
  }
  const { record } = response;
  endWith(sendHead(response, reply), payload, reply.headers);
  if (record) releaseOnceFlushed(response, record.share, payload);
  record?.finish(response, reply.status);
};

/**
 * Sends the reply to an error. An error that is neither a Problem nor a client error of Express is an internal one: its
 * cause goes to the log only.
 */
export const sendError = (response: ServerResponse, error: unknown, outcome?: StreamOutcome): void => {
  const { record } = response;
  const known = error instanceof Problem ? error : problemOfHttpError(error);
  if (record) record.error = known ?? error;
  if (response.headersSent) {
    response.destroy(); // so that the client does not take half a reply for a whole one
    record?.share.release();
    record?.finish(response, 500, outcome);
  } else
    send(response, (record?.refuse ?? refusePlainly)(known ?? new Problem('internal', 'internal error')));
};
