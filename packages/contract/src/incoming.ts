import type { Request } from 'express';
import type { RequestHead } from './parameters/places.ts';

/** Whether the headers of a proxy at an address are believed, by the setting `trust proxy` of Express. */
export type Trust = (address: string | undefined, nth: number) => boolean;

/** Whether a request comes from a proxy whose headers are believed. */
const isProxied = ({ app, socket }: Request): boolean => {
  const trust: Trust = app.get('trust proxy fn');
  return trust(socket.remoteAddress, 0);
};

/** Writes a line into the log: a message, or details and a message; an error counts as the detail `err`. */
type WriteLine = (details: object | string, message?: string) => void;

/** The log of the service, for one request: every line has its id. `LOG_LEVEL` says which lines are written. */
export interface HandlerLog {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
}

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
  /** The request of Express, with all that middleware has added. Its body is read by the contract. */
  readonly raw: Request;
}

/** What few handlers ask for, made on demand. */
export interface RequestSource {
  readonly id?: string;
  openSignal?(): AbortSignal;
  openLog?(): HandlerLog;
}

/** The head of a request, with all that is known of it. Only a body that is read by itself has no request. */
export interface IncomingHead extends RequestHead {
  readonly request?: Request | undefined;
  readonly context?: RequestSource | undefined;
}

const SILENT: HandlerLog = { debug() {}, info() {}, warn() {}, error() {} };

/** Makes each part when somebody asks for it: it is a class because getters of an object would cost every request. */
export class Incoming implements IncomingRequest {
  readonly #request: Request | undefined;
  readonly #context: RequestSource | undefined;
  #headers: Headers | undefined;

  constructor({ request, context }: IncomingHead) {
    this.#request = request;
    this.#context = context;
  }

  get raw(): Request {
    if (this.#request) return this.#request;
    throw new Error('there is no request: its body was read by itself');
  }

  get method(): string {
    return this.raw.method;
  }

  get url(): string {
    return this.raw.originalUrl;
  }

  get headers(): Headers {
    this.#headers ??= new Headers(
      Object.entries(this.raw.headers).flatMap(([name, value = []]) =>
        [value].flat().map((each): [string, string] => [name, each]),
      ),
    );
    return this.#headers;
  }

  get address(): string | undefined {
    return this.raw.ip;
  }

  get isProxied(): boolean {
    return isProxied(this.raw);
  }

  get requestId(): string {
    return this.#context?.id ?? '';
  }

  get log(): HandlerLog {
    return this.#context?.openLog?.() ?? SILENT;
  }

  get signal(): AbortSignal {
    return this.#context?.openSignal?.() ?? new AbortController().signal;
  }
}
