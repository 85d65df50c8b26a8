import type { IncomingMessage } from 'node:http';
import type { Document } from 'openapi-backend';
import { andThen } from './at-once.ts';
import { createBudget, type Share } from './body/budget.ts';
import { hasBody, holdBody, readBody } from './body/read.ts';
import type { Handler, Handlers, OperationId, OperationRequest } from './handler.ts';
import { type ContractOperation, createEngine } from './operations.ts';
import type { RequestHead } from './parameters/parameters.ts';
import type { WireReply } from './reply/replies.ts';
import type { Reply } from './reply/reply.ts';
import { createStubReplies, stub } from './reply/stub.ts';
import type { SentBody } from './request-decoder.ts';
import { createRoutes } from './routes.ts';
import { type Authenticators, createSecurity, type Principal } from './security.ts';

/** What a contract is made of. */
export interface ContractOptions {
  readonly document: Document;
  readonly handlers: Handlers;
  readonly authenticators: Authenticators;
  readonly maxBodyBytes: number;
  /** What all requests together may keep in memory. */
  readonly maxBufferedBytes?: number;
  /** Whether every reply is held against the contract before it is sent: outside production. */
  readonly checkReplies?: boolean;
  /** Whether the contract answers, with its own examples, for handlers that are not written yet: outside production. */
  readonly answerStubs?: boolean;
  /** Makes a Problem of what a handler throws, where it knows one; hands on anything else. */
  readonly explain?: (error: unknown) => unknown;
}

/** What becomes known of a request on its way, however it ends. */
export interface Facts {
  operation?: string | undefined;
  principal?: Principal | undefined;
  /** The memory of a request that has a reply, for whoever sends that to give back once it is gone. */
  share?: Share | undefined;
}

/**
 * Serves a request by the contract: match, authenticate, read, validate, handle, reply. Answers nothing for a path
 * that the contract does not have; throws a Problem for a request that it refuses. Leaves behind the facts that it
 * has found by then.
 */
export type Contract = (request: Asked, facts: Facts) => Promise<WireReply> | undefined;

/** A request; with the target that it came with, where that of a mounted app is but its end. */
type Asked = IncomingMessage & { readonly originalUrl?: string };

/** Enough for 650 bodies of 100 KiB at once, or for more small ones than there are connections. */
const MAX_BUFFERED_BYTES = 64 * 2 ** 20;

const listed = (ids: readonly string[]) => ids.join(', ');

/** The types promise this already, for the document that they were generated from. This one may be another. */
const checkHandlers = (operations: readonly ContractOperation[], handlers: Handlers): void => {
  const declared = operations.map(({ id }) => id);
  const missing = declared.filter((id) => !Object.hasOwn(handlers, id));
  const unknown = Object.keys(handlers).filter((id) => !declared.includes(id));
  const remedy = 'run `npm run generate` and follow the compiler';
  if (missing.length > 0) throw new Error(`openapi.yaml: no handler for ${listed(missing)}; ${remedy}`);
  if (unknown.length > 0)
    throw new Error(`openapi.yaml: no operation for handler ${listed(unknown)}; ${remedy}`);
};

/** How long nobody must have asked for anything, in milliseconds, before compilation begins, or goes on. */
const QUIET = 50;

/**
 * Compiles one operation after the other while nobody asks, so that whoever comes first need not wait for it. Gives back
 * what to call when somebody does ask: a thousand operations take seconds, which are the clients' where there are any.
 */
const compileInBackground = (operations: readonly ContractOperation[]): (() => void) => {
  const rest = operations.values();
  let isAsked = false;
  const compileNext = (): void => {
    if (isAsked) {
      isAsked = false;
      setTimeout(compileNext, QUIET).unref();
      return;
    }
    const { value: next } = rest.next();
    if (!next) return;
    try {
      next.compile();
    } catch {} // the first request to it fails the same way, and is logged
    setImmediate(compileNext).unref();
  };
  setTimeout(compileNext, QUIET).unref();
  return () => {
    isAsked = true;
  };
};

/** Makes a document and its handlers into something that serves requests. Throws if they do not fit. */
export const createContract = async (options: ContractOptions): Promise<Contract> => {
  const { document, handlers, authenticators, maxBodyBytes, explain = (error) => error } = options;
  const openShare = createBudget(Math.max(options.maxBufferedBytes ?? MAX_BUFFERED_BYTES, maxBodyBytes * 2));
  const isHandled = (id: string): id is OperationId => Object.hasOwn(handlers, id);
  const operations = await createEngine(document, { checkReplies: options.checkReplies ?? false });
  checkHandlers(operations, handlers);
  const secure = createSecurity(document, authenticators);
  const stubReply = createStubReplies(document);

  /** The media type is judged before a byte is read, unless there may be none: an empty body needs no type. */
  const receive = (
    request: IncomingMessage,
    { takesBody, bodyRequired, mediaTypeOf, parsers }: ContractOperation,
    share: Share,
  ): Promise<SentBody | undefined> | undefined => {
    if (!takesBody || !hasBody(request)) return undefined;
    const contentType = request.headers['content-type'] ?? '';
    const isDue = bodyRequired || request.headers['content-length'] !== undefined;
    const judged = isDue ? mediaTypeOf(contentType) : undefined;
    return readBody(request, maxBodyBytes, share, (bytes) => {
      const mediaType = judged ?? mediaTypeOf(contentType);
      const parse = parsers.get(mediaType);
      return parse && andThen(parse(bytes, contentType), (json) => ({ mediaType, json }));
    });
  };

  const bind = <Id extends OperationId>(id: Id, operation: ContractOperation) => {
    const { method, path, security, compile } = operation;
    const written: Handler<Id> = handlers[id];
    const handle: (request: OperationRequest<Id>) => Promise<Reply> =
      written === stub && options.answerStubs ? async () => stubReply(id, method, path) : written;
    const authenticate = secure(security);
    return async (request: IncomingMessage, head: RequestHead, facts: Facts): Promise<WireReply> => {
      const verdict = authenticate(head);
      const share = openShare();
      const principal = verdict instanceof Promise ? await holdBody(request, share, verdict) : verdict; // see andThen
      facts.principal = principal;
      try {
        const { decode, encode } = compile();
        // What was decoded has no name here, so that nothing but what the handler keeps is kept while it waits.
        const reply = encode(
          await handle(
            decode<OperationRequest<Id>>(head, await receive(request, operation, share), principal),
          ),
        );
        facts.share = share;
        return reply;
      } catch (error) {
        share.release();
        throw explain(error);
      }
    };
  };

  const noteRequest = compileInBackground(operations);
  const find = createRoutes(
    operations.flatMap((operation) => {
      const { id, method, path } = operation;
      return isHandled(id) ? [{ id, method, path, serve: bind(id, operation) }] : [];
    }),
  );
  return (request, facts) => {
    noteRequest();
    const { method = '', url: target = '', originalUrl, headers } = request;
    const match = find(method, target, originalUrl);
    facts.operation = match?.route.id;
    return match?.route.serve(request, { path: match.path, target, headers }, facts);
  };
};
