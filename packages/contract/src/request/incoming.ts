import type { RequestHead } from '../parameters/places.ts';
import type { RawRequest } from '../raw-request.ts';
import type { Exchange, HandlerLog } from './exchange.ts';

/** The raw request, independent of the contract. */
export interface IncomingRequest {
  readonly method: string;
  /** The raw target: path and query, such as `/things?limit=2`. */
  readonly url: string;
  /** All headers, undecoded; those that the contract declares are in the handler's `header`, too. */
  readonly headers: Headers;
  /**
   * IP address of the client, or of the first proxy that is not in TRUST_PROXY; `undefined` once the connection is
   * closed.
   */
  readonly address: string | undefined;
  /** Whether a proxy of TRUST_PROXY sent it, so that what this proxy adds can be believed. */
  readonly isProxied: boolean;
  /** The id that the log and the reply have. */
  readonly requestId: string;
  readonly log: HandlerLog;
  /**
   * Aborted when no client waits for the reply: the client disconnected, or the service ends the stream at shutdown.
   */
  readonly signal: AbortSignal;
  /** The request of the server: of Express, with all that middleware has added. The contract reads its body. */
  readonly raw: RawRequest;
}

/** The head of a request, and its exchange. A body that is read by itself has none. */
export interface IncomingHead extends RequestHead {
  readonly exchange?: Exchange | undefined;
}

/** The raw request. A class, because an object literal would create its getters anew for every request. */
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
