import type { ServerResponse } from 'node:http';
import { Problem } from '@trellis/contract';
import {
  createRefusal,
  isStreamed,
  type Refuse,
  type Share,
  type StreamedPayload,
  type WireReply,
} from '@trellis/contract/internal';
import { exchangeOf, type ServerExchange } from '../observe/exchange.ts';
import type { StreamOutcome } from '../observe/request-metrics.ts';
import { addCrossOrigin } from './cross-origin.ts';
import { isFlushed, onFlushed } from './flushed.ts';
import { problemOfHttpError } from './http-error.ts';
import { sendStream } from './stream.ts';

/** Refuses requests where no contract is known. */
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
const fieldsOf = (
  exchange: ServerExchange | undefined,
  headers: WireReply['headers'],
): (string | number)[] => {
  const fields: (string | number)[] = exchange ? ['X-Request-Id', exchange.id] : [];
  if (exchange?.trace) fields.push('traceresponse', exchange.trace.traceparent);
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (typeof value === 'object') for (const line of value) fields.push(name, line);
    else fields.push(name, value);
  }
  const crossOrigin = exchange?.crossOriginFields();
  if (crossOrigin) addCrossOrigin(crossOrigin, fields);
  return fields;
};

const sendHead = (
  response: ServerResponse,
  exchange: ServerExchange | undefined,
  { status, headers }: SentReply,
): ServerResponse => {
  const fields = fieldsOf(exchange, headers);
  if (!response.req.complete) exchange?.own?.pauseRest(response);
  return response.writeHead(status, fields);
};

/** Sends a reply whose body is still being made. Its request is finished once the body is. */
const sendStreamed = async (
  response: ServerResponse,
  exchange: ServerExchange | undefined,
  reply: SentReply,
  payload: StreamedPayload,
): Promise<void> => {
  const length = reply.headers['Content-Length'];
  exchange?.share.release(); // a stream waits for its client, so it buffers little
  const outcome = await sendStream(
    response,
    exchange,
    payload,
    length === undefined ? undefined : Number(length),
    () => void sendHead(response, exchange, reply),
  );
  if (outcome.end === 'failed') return sendError(response, outcome.error, outcome);
  exchange?.finish(response.headersSent ? reply.status : undefined, outcome);
};

/**
 * Sends a reply with the id of its request, and finishes the exchange. Every reply is sent by this function.
 */
export const send = (response: ServerResponse, reply: SentReply): void => {
  const { payload } = reply;
  const exchange = exchangeOf(response);
  if (isStreamed(payload)) {
    void sendStreamed(response, exchange, reply, payload);
    return;
  }
  endWith(sendHead(response, exchange, reply), payload, reply.headers);
  if (exchange) releaseOnceFlushed(response, exchange.share, payload);
  exchange?.finish(reply.status);
};

/**
 * Sends the reply to an error. An error that is neither a Problem nor a client error of Express is an internal one: its
 * cause goes to the log only.
 */
export const sendError = (response: ServerResponse, error: unknown, outcome?: StreamOutcome): void => {
  const exchange = exchangeOf(response);
  const known = error instanceof Problem ? error : problemOfHttpError(error);
  if (exchange) exchange.error = known ?? error;
  if (response.headersSent) {
    response.destroy(); // so that the client does not take half a reply for a whole one
    exchange?.share.release();
    exchange?.finish(500, outcome);
  } else
    send(response, (exchange?.refuse ?? refusePlainly)(known ?? new Problem('internal', 'internal error')));
};
