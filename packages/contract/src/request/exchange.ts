import type { BodyExchange } from '../body/upload.ts';
import type { RequestHeaders } from '../parameters/places.ts';
import type { RawRequest } from '../raw-request.ts';
import type { Refuse } from '../reply/refusal/refusals.ts';

/** The authenticated caller of an operation, and its scopes. */
export interface Principal {
  /** The name of the token, the subject of the JWT, or the name that an authenticator of the owner gave. */
  readonly name: string;
  /** The scopes and roles of the caller. `*` grants every scope. */
  readonly scopes: readonly string[];
}

/**
 * Whether a principal has a scope or a role, by its name or by `*`.
 *
 * @example
 * if (!hasScope(principal, 'admin')) return { status: 403, body: problem('insufficientScope', 'only admins delete') };
 */
export const hasScope = (principal: Principal | undefined, scope: string): boolean =>
  principal !== undefined && (principal.scopes.includes(scope) || principal.scopes.includes('*'));

/** Writes a line into the log: a message, or details and a message; an error counts as the detail `err`. */
type WriteLine = (details: object | string, message?: string) => void;

/** The log of the service for one request: every line has the request id. `LOG_LEVEL` sets the lowest level written. */
export interface HandlerLog {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
}

/** Follows a request through the contract. A request that is not traced has no `RequestTrace`. */
export interface RequestTrace {
  /** Names this request as the parent of others, in the format of the header (W3C Trace Context, section 3.2). */
  readonly traceparent: string;
  /** Called once the operation is known, with its path template. */
  readonly matched: (route: string) => void;
  /** Runs the handler. All work that it starts, now or later, belongs to this request. */
  readonly handle: <T>(work: () => T) => T;
}

/** The head of a request. */
export interface SentRequest {
  readonly method: string;
  /** Path and query, below the path where the contract is mounted. */
  readonly url: string;
  /** Path and query as the client sent them, if that is more than `url`. */
  readonly originalUrl?: string;
  readonly headers: RequestHeaders;
}

/**
 * A request from its first byte to its log line. A server creates an exchange for each request and passes it to the
 * contract, which records in it the data that the server logs, counts and releases.
 */
export interface Exchange extends BodyExchange {
  readonly request: SentRequest;
  /** The id in the log and in the reply. */
  readonly id: string;
  /** The trace of the request, if it is traced. */
  readonly trace?: RequestTrace | undefined;
  /** The address of the client; `undefined` if it is not known. */
  address(): string | undefined;
  /** Whether a trusted proxy sent the request. */
  isProxied(): boolean;
  /** The media type that the client prefers; false if it accepts none. Only stubs use it. */
  accepts(mediaTypes: string[]): string | false;
  /** The signal that is aborted once no client waits for the reply. */
  openSignal(): AbortSignal;
  openLog(): HandlerLog;

  /** The request of the server, for handlers. */
  raw?: RawRequest | undefined;
  /** The operationId, once it is known. */
  operation?: string | undefined;
  principal?: Principal | undefined;
  /** Makes the reply if the request is refused: in the form of its operation, once that is known. */
  refuse: Refuse;
  /** The body of a 4xx or 5xx reply that a handler made. */
  errorBody?: unknown;
}

/** Closes the stream of an upload, if there is one: the reply was sent, so nothing reads the rest. */
export const closeUpload = ({ upload }: Pick<Exchange, 'upload'>): void =>
  void upload?.destroy(new Error('the reply was sent before the body was read to its end'));
