import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BodySource, Exchange, RequestTrace } from '@trellis/contract/internal';
import { oncePerObject } from '@trellis/openapi/internal/json';
import type { Request } from 'express';
import type { StreamOutcome } from './metrics.ts';

// Handlers get the request of Express as `request.raw`.
declare module '@trellis/contract/internal/raw-request' {
  interface RawRequest extends Request {}
}

/** The trace of one request. */
export interface RequestSpan extends RequestTrace {
  /** For the log. */
  readonly traceId: string;
  /** Ends the span; the status is `undefined` if the client hung up before there was a reply. */
  readonly end: (status: number | undefined, stream?: StreamOutcome) => void;
}

/** Header fields about other origins. */
export interface CrossOriginFields {
  /** Names and values in turn. */
  readonly access: readonly string[];
  /** Whether the reply depends on the origin. Without `Vary` a cache could give the reply for one origin to another. */
  readonly varies: boolean;
}

/** A request as a server receives it. Express adds the other members. */
export interface ReceivedRequest extends IncomingMessage {
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  /** The address of the client, by what trusted proxies say. */
  readonly ip?: string | undefined;
}

/** A request that a server received, from its first byte to its line in the log. */
export interface ServerExchange extends Exchange {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  readonly body: BodySource | undefined;
  /** When it was received, by `performance.now()`. */
  readonly started: number;
  readonly trace: RequestSpan | undefined;
  raw: Request | undefined;
  /** The error that the request failed with, if it did. */
  error: unknown;
  isFinished: boolean;
  /** Aborted once no client waits for the reply; created if the handler uses the signal. */
  abort: AbortController | undefined;
  /** Ends a streamed sequence after the item that was sent last: the server stops. */
  endSequence: (() => void) | undefined;
  /** Returns the header fields about other origins; `undefined` leaves the fields of the reply. */
  readonly crossOriginFields: ((request: IncomingMessage) => CrossOriginFields | undefined) | undefined;
  /**
   * Logs and counts the request, once, and releases its memory as soon as its reply is flushed. The status is
   * `undefined` if the client hung up before there was a reply.
   */
  finish(status: number | undefined, stream?: StreamOutcome): void;
}

const http = process.getBuiltinModule('node:http'); // see connections/node-http.ts

/** The exchanges of responses of other servers, in which an app is mounted. */
const foreign = new WeakMap<ServerResponse, ServerExchange>();

/**
 * A response of our own server. It holds its exchange: with a WeakMap for all responses, a request took a third more CPU.
 */
export class ExchangeResponse<
  Message extends IncomingMessage = IncomingMessage,
> extends http.ServerResponse<Message> {
  #exchange: ServerExchange | undefined;

  /** Returns the exchange of a response; `undefined` before it was created. */
  static find(response: ServerResponse): ServerExchange | undefined {
    return #exchange in response ? response.#exchange : foreign.get(response);
  }

  /** Whether a response is of our own server, rather than of one in which an app is mounted. */
  static isOwn(response: ServerResponse): response is ExchangeResponse {
    return #exchange in response;
  }

  /** Stores the exchange of its response. */
  static set(exchange: ServerExchange): ServerExchange {
    const { response } = exchange;
    if (#exchange in response) response.#exchange = exchange;
    else foreign.set(response, exchange);
    return exchange;
  }

  /** Keeps the methods of this response and its request where another Express app replaces their prototypes. */
  keepMethods(): void {}
}

/** Express passes a request and its response from function to function; this finds their exchange. */
export const exchangeOf = ExchangeResponse.find;

/** Whether the system has taken all of a reply, or never will. Until then the reply is in our memory. */
export const isFlushed = ({ req, socket, closed }: ServerResponse): boolean =>
  closed || req.socket.destroyed || socket?.writableLength === 0;

/** By connection: when a connection closes, Node emits nothing for replies that wait behind another one. */
const pendingOn = oncePerObject((socket: Socket): Set<() => void> => {
  const callbacks = new Set<() => void>();
  socket.once('close', () => {
    for (const callback of callbacks) callback();
  });
  return callbacks;
});

/** Calls back once, as soon as a reply is flushed. */
export const onFlushed = (response: ServerResponse, callback: () => void): void => {
  if (isFlushed(response)) {
    callback();
    return;
  }
  const callbacks = pendingOn(response.req.socket);
  const callOnce = (): void => {
    if (callbacks.delete(callOnce)) callback();
  };
  callbacks.add(callOnce);
  response.once('close', callOnce);
};

/** For how many milliseconds a client that has closed its side is believed to wait for its reply. */
const GRACE = 1000;

/**
 * The signal of a request: aborted once its client has left, or its stream was ended before it was complete. A client
 * that closes its side counts as gone if no reply has begun within the grace time: TCP says no more.
 */
export const signalOf = (exchange: ServerExchange): AbortSignal => {
  if (exchange.abort) return exchange.abort.signal;
  const controller = new AbortController();
  exchange.abort = controller;
  const { response } = exchange;
  const { socket } = response.req;
  let timer: NodeJS.Timeout | undefined;
  const abortLater = (): void => {
    timer = setTimeout(() => response.headersSent || controller.abort(), GRACE);
  };
  const close = (): void => {
    clearTimeout(timer);
    socket.off('end', abortLater).off('close', close);
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed || socket.destroyed) controller.abort();
  else {
    if (socket.readableEnded) abortLater();
    else socket.once('end', abortLater);
    response.once('close', close);
    socket.once('close', close); // Node emits nothing for a response that waits behind another one
  }
  return controller.signal;
};

/** Whether a handler has failed only because its signal was aborted. */
export const isAborted = ({ abort }: ServerExchange, error: unknown): boolean =>
  abort?.signal.aborted === true && Reflect.get(Object(error), 'name') === 'AbortError';
