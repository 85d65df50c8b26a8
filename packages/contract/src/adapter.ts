import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Document } from '@trellis/openapi/internal/document';
import { bufferedBytesFor, createBudget, type Share } from './body/budget.ts';
import { largestWholeBody } from './body/limits.ts';
import { toBodySource } from './body/read-body.ts';
import { compileContract } from './contract.ts';
import type { ContractRules } from './contract-rules.ts';
import type { AnyHandlers } from './handler.ts';
import { noSuchPath, Problem } from './problems/problem.ts';
import type { RawRequest } from './raw-request.ts';
import { createRefusal, type Refuse } from './reply/refusal/refusals.ts';
import { isStreamed, type StreamedPayload, type WireReply } from './reply/replies.ts';
import { closeUpload, type Exchange, type HandlerLog } from './request/exchange.ts';

/** A request, as an adapter hands it to a contract. */
export interface ContractRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Header fields by name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes of the body; `undefined` for a request without one. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  /** The address of the client, for handlers. */
  readonly address?: string | undefined;
  /** The id of the request, for handlers and the log; a random one if not given. */
  readonly id?: string | undefined;
  /** Aborted once no client waits for the reply. */
  readonly signal?: AbortSignal | undefined;
  /** The request of the server, for handlers. */
  readonly raw?: RawRequest | undefined;
}

/** The reply to a request, for an adapter to send. */
export interface ContractReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[]>>;
  /** A streamed body is an async iterable of texts and bytes. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** How a contract is served. */
export interface ContractOptions extends Partial<Omit<ContractRules, 'warn'>> {
  /** Gets the lines of handlers, warnings, and errors that are answered with 500; nothing is logged if not given. */
  readonly log?: HandlerLog;
}

const SILENT: HandlerLog = { debug() {}, info() {}, warn() {}, error() {} };

/** Creates the exchange of a request of an adapter. */
const toExchange = (
  request: ContractRequest,
  { share, refuse, log = SILENT }: { share: Share; refuse: Refuse; log?: HandlerLog | undefined },
): Exchange => {
  const { headers, id = randomUUID(), address, signal = new AbortController().signal, raw } = request;
  const body = headers['content-length'] === '0' ? undefined : request.body;
  const stream = body && (body instanceof Readable ? body : Readable.from(body, { objectMode: false }));
  return {
    request,
    raw,
    id,
    share,
    refuse,
    body: stream && toBodySource(stream.on('error', () => {})), // the reader of the body gets the error
    address: () => address,
    isProxied: () => false,
    accepts: ([first]) => first ?? false,
    openSignal: () => signal,
    openLog: () => log,
  };
};

/** Yields the chunks of a streamed reply. */
async function* writeAll({ source, write, end }: StreamedPayload): AsyncGenerator<string | Uint8Array> {
  for await (const item of source) yield write(item);
  if (end) yield end();
}

/** The reply for an adapter. The memory of the request is released: the adapter holds what remains. */
const toReply = (exchange: Exchange, { status, headers, payload }: WireReply): ContractReply => {
  exchange.share.release();
  if (!isStreamed(payload)) closeUpload(exchange);
  return {
    status,
    headers: { ...headers, 'X-Request-Id': exchange.id },
    body: isStreamed(payload) ? writeAll(payload) : payload,
  };
};

/** Compiles a document and its handlers; see `createContract`. */
export const connectContract = async (
  document: Document,
  handlers: AnyHandlers,
  { log, ...options }: ContractOptions,
): Promise<(request: ContractRequest) => Promise<ContractReply>> => {
  const warn = log && ((details: object, message: string) => log.warn(details, message));
  const rules = { authenticators: {}, maxBodyBytes: 102_400, ...options, warn };
  const serve = await compileContract(document, handlers, rules);
  const refuse = createRefusal(document, options.errorBody, warn);
  const openShare = createBudget(bufferedBytesFor(largestWholeBody(document, handlers, rules.maxBodyBytes)));
  return async (request) => {
    const exchange = toExchange(request, { share: openShare(() => request.address), refuse, log });
    try {
      const reply = serve(exchange);
      if (!reply) throw noSuchPath(request.url);
      return toReply(exchange, await reply);
    } catch (error) {
      if (!(error instanceof Problem)) log?.error({ err: error, requestId: exchange.id }, 'request failed');
      const problem = error instanceof Problem ? error : new Problem('internal', 'internal error');
      return toReply(exchange, exchange.refuse(problem));
    }
  };
};
