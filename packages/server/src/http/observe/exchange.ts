import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, RequestTrace } from '@trellis/contract/internal';
import type { StreamOutcome } from './request-metrics.ts';

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

/** How our own server treats its responses. Responses of another server, in which an app is mounted, have none of it. */
export interface OwnServer {
  /** Stops reading a request that is answered before its end. */
  pauseRest(response: ServerResponse): void;
  /** Keeps the methods of a response where another Express app replaces its prototype. */
  keepMethods(response: ServerResponse): void;
}

/** A request as Express sees it; its `ip` is the address of the client by what trusted proxies say. */
export type ReceivedRequest = IncomingMessage & {
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  readonly ip?: string | undefined;
};

/** A request that a server received, from its first byte to its line in the log. */
export interface ServerExchange extends Exchange {
  readonly request: ReceivedRequest;
  readonly response: ServerResponse;
  readonly own: OwnServer | undefined;
  /** When it was received, by `performance.now()`. */
  readonly started: number;
  readonly trace: RequestSpan | undefined;
  /** The error that the request failed with, if it did. */
  error?: unknown;
  isFinished: boolean;
  /** Aborted once no client waits for the reply; created if the handler uses the signal. */
  abort: AbortController | undefined;
  /** Ends a streamed sequence after the item that was sent last: the server stops. */
  endSequence: (() => void) | undefined;
  /** The header fields about other origins; `undefined` leaves the fields of the reply. */
  crossOriginFields(): CrossOriginFields | undefined;
  /** Logs and counts the request, once. The status is `undefined` if the client hung up before there was a reply. */
  finish(status: number | undefined, stream?: StreamOutcome): void;
}

const http = process.getBuiltinModule('node:http'); // see connections/node-http.ts

/** The exchanges of responses of other servers, in which an app is mounted. */
const foreign = new WeakMap<ServerResponse, ServerExchange>();

/**
 * A response of our own server. It holds its exchange: with a WeakMap for all responses, a request took a third more CPU.
 */
export class ExchangeResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends http.ServerResponse<Request> {
  #exchange: ServerExchange | undefined;

  /** Returns the exchange of a response; `undefined` before it was created. */
  static find(response: ServerResponse): ServerExchange | undefined {
    return #exchange in response ? response.#exchange : foreign.get(response);
  }

  /** Stores the exchange of its response. */
  static set(exchange: ServerExchange): void {
    const { response } = exchange;
    if (#exchange in response) response.#exchange = exchange;
    else foreign.set(response, exchange);
  }
}

/** Express passes a request and its response from function to function; this finds their exchange. */
export const exchangeOf = ExchangeResponse.find;

/** Stores the exchange of its response. */
export const setExchange = ExchangeResponse.set;
