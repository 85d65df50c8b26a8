import type { ServerResponse } from 'node:http';
import { Problem } from '@trellis/contract';
import {
  createRefusal,
  isStreamed,
  type Refuse,
  type StreamedPayload,
  type WireReply,
} from '@trellis/contract/internal';
import { titleOf } from '@trellis/contract/internal/handlers';
import { isTree } from '@trellis/openapi/internal/json';
import { addCrossOrigin } from '../cors.ts';
import { ExchangeResponse, exchangeOf, isFlushed, type ServerExchange } from '../observe/exchange.ts';
import type { StreamOutcome } from '../observe/metrics.ts';
import { sendStream } from './stream.ts';

/** Refuses requests where no contract is known. */
export const refusePlainly: Refuse = createRefusal({});

/** A reply whose payload may be a list of buffers, which many replies share. */
type SentReply = Omit<WireReply, 'payload'> & { readonly payload: WireReply['payload'] | readonly Buffer[] };

const endWith = (
  response: ServerResponse,
  payload: Exclude<SentReply['payload'], StreamedPayload>,
  bytes: unknown,
): void => {
  if (typeof payload === 'string' && payload !== '') {
    // One write, together with the header. `end(text)` would give the system two buffers, the second one empty: that
    // costs some 5 µs more. If all is ASCII, latin1 gives the same bytes, and is cheaper.
    response.write(payload, bytes === payload.length ? 'latin1' : 'utf8');
    response.socket?.uncork();
    response.end();
  } else if (typeof payload === 'string' || Buffer.isBuffer(payload)) response.end(payload);
  else {
    response.cork();
    for (const part of payload) response.write(part);
    response.end();
  }
};

/** The rest of a longer body, in bytes, is not awaited once its request is answered. */
const MAX_AWAITED = 65_536;

/** Whether a connection can continue after this request, once the rest of it has arrived. */
export const isShort = (response: ServerResponse): boolean => {
  const { headers } = response.req;
  return (
    !exchangeOf(response)?.upload &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length'] ?? 0) <= MAX_AWAITED
  );
};

/**
 * Stops reading a request that is answered before its end, until the answer is flushed. `Connection` in the answer
 * announces whether the connection closes then.
 */
const pauseRest = (response: ServerResponse): void => {
  const { req } = response;
  if (!isShort(response)) response.shouldKeepAlive = false;
  if (req.readableFlowing && !exchangeOf(response)?.upload) req.pause(); // an upload may still be read
};

/** Writes the header fields as a list, because an object costs Node some 3 µs more. */
const writeHead = (
  response: ServerResponse,
  exchange: ServerExchange | undefined,
  { status, headers }: SentReply,
): void => {
  const fields: (string | number)[] = exchange ? ['X-Request-Id', exchange.id] : [];
  if (exchange?.trace) fields.push('traceresponse', exchange.trace.traceparent);
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (typeof value === 'object') for (const line of value) fields.push(name, line);
    else fields.push(name, value);
  }
  const crossOrigin = exchange?.crossOriginFields?.(exchange.request);
  if (crossOrigin) addCrossOrigin(crossOrigin, fields);
  if (!response.req.complete && ExchangeResponse.isOwn(response)) pauseRest(response);
  response.writeHead(status, fields);
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
    () => writeHead(response, exchange, reply),
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
  writeHead(response, exchange, reply);
  endWith(response, payload, reply.headers['Content-Length']);
  if (!exchange) return;
  // Until the client has read its reply, the reply takes memory in place of the request, unless many share its payload.
  if (!isFlushed(response)) exchange.share.resize(Array.isArray(payload) ? 0 : payload.length);
  exchange.finish(reply.status);
};

/**
 * Converts an error of middleware or of a route that blames the client: an error of http-errors with a status of 4xx and
 * `expose`, or a path that Express cannot decode. `undefined` for any other error: its status may be the one that another
 * service has answered with.
 */
const problemOfHttpError = (error: unknown): Problem | undefined => {
  if (!(error instanceof Error)) return undefined;
  const member = (name: string): unknown => Reflect.get(error, name); // http-errors has some in its prototypes
  const [status, headers] = [member('status'), member('headers')];
  if (!(typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 500))
    return undefined;
  if (member('expose') !== true && !(error instanceof URIError)) return undefined;
  const cause = error.message;
  // The message of a failed system call has a path of this machine.
  const message = member('syscall') === undefined && cause !== '' ? cause : titleOf(status);
  const fields = Object.entries(isTree(headers) ? headers : {}).map(([name, value]) => [name, String(value)]);
  return new Problem(status * 100, message, { headers: Object.fromEntries(fields), cause });
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
    exchange?.finish(500, outcome);
  } else
    send(response, (exchange?.refuse ?? refusePlainly)(known ?? new Problem('internal', 'internal error')));
};
