import type { RequestHead } from '../parameters/places.ts';
import type { RawRequest } from '../raw-request.ts';
import type { Exchange } from './exchange.ts';
import type { HandlerLog } from './handler-log.ts';

/** A request as it was sent, whatever the contract declares. */
export interface IncomingRequest {
  readonly method: string;
  /** The target as it was sent: path and query, such as `/things?limit=2`. */
  readonly url: string;
  /** All headers, undecoded; those that the contract declares are in the handler's `header`, too. */
  readonly headers: Headers;
  /** The IP address of the client, or of the first proxy that is not in TRUST_PROXY; `undefined` once its connection is gone. */
  readonly address: string | undefined;
  /** Whether a proxy of TRUST_PROXY sent it, so that what this proxy adds can be believed. */
  readonly isProxied: boolean;
  /** The id that the log and the reply have. */
  readonly requestId: string;
  readonly log: HandlerLog;
  /** Aborted once nobody waits for the reply: the client has left, or the service ends the stream because it stops. */
  readonly signal: AbortSignal;
  /** The request of the server: of Express, with all that middleware has added. The contract reads its body. */
  readonly raw: RawRequest;
}

/** The head of a request, and its exchange. A body that is read by itself has none. */
export interface IncomingHead extends RequestHead {
  readonly exchange?: Exchange | undefined;
}

/** The request as it was sent. It is a class because getters of an object would cost every request. */
export class Incoming implements IncomingRequest {
  readonly #exchange: Exchange | undefined;
  #headers: Headers | undefined;

  constructor({ exchange }: IncomingHead) {
    this.#exchange = exchange;
  }

  get #known(): Exchange {
    if (this.#exchange) return this.#exchange;
    throw new Error('there is no request: its body was read by itself');
  }

  get raw(): RawRequest {
    const { raw } = this.#known;
    if (raw) return raw;
    throw new Error('the server of this request has no request for handlers');
  }

  get method(): string {
    return this.#known.request.method;
  }

  get url(): string {
    const { originalUrl, url } = this.#known.request;
    return originalUrl ?? url;
  }

  get headers(): Headers {
    this.#headers ??= new Headers(
      Object.entries(this.#known.request.headers).flatMap(([name, value = []]) =>
        [value].flat().map((each): [string, string] => [name, each]),
      ),
    );
    return this.#headers;
  }

  get address(): string | undefined {
    return this.#known.address();
  }

  get isProxied(): boolean {
    return this.#known.isProxied();
  }

  get requestId(): string {
    return this.#known.id;
  }

  get log(): HandlerLog {
    return this.#known.openLog();
  }

  get signal(): AbortSignal {
    return this.#known.openSignal();
  }
}
