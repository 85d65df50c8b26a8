import { createHash } from 'node:crypto';
import { allOperations, headerNamesOf } from '@trellis/openapi/internal/document';
import { essenceOf } from '@trellis/openapi/internal/http';
import { type ExactValue, memberPlace, toJson } from '@trellis/openapi/internal/json';
import type { RequestHead } from '../parameters/places.ts';
import { DECLARED_PROBLEMS, Problem, schemaMismatch } from '../problems/problem.ts';
import { isStreamed, type WireReply } from '../reply/replies.ts';
import type { HeldKey, IdempotencyStore, KeptReply } from './store.ts';

/** The header that identifies repeated requests, in lower case (draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/** Whether an operation declares that header. Methods that only read can be repeated without it. */
export const isKeyed = (method: string, parameters: readonly string[]): boolean =>
  !['get', 'head', 'options', 'trace', 'query'].includes(method) &&
  parameters.some((name) => name.toLowerCase() === IDEMPOTENCY_KEY);

/** The key of a request to such an operation; `undefined` if it has none. Throws 400 for an empty key. */
export const keyIn = ({ headers }: RequestHead): string | undefined => {
  const key = headers[IDEMPOTENCY_KEY]?.toString().trim();
  if (key !== '' && key !== '""') return key;
  throw schemaMismatch([{ place: memberPlace('header', IDEMPOTENCY_KEY), message: 'must not be empty' }]);
};

/** How people call the operations of a document whose requests are served once. */
export const keyedOperations = (document: unknown): string[] =>
  allOperations(document)
    .filter((operation) => isKeyed(operation.method, headerNamesOf(document, operation)))
    .map(({ title }) => title);

const hashOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length} `).update(part);
  return hash.digest('base64url');
};

/** Fingerprint of a request: a hash of its method, path, media type and body. */
const fingerprintOf = ({ method, path, headers }: RequestHead, body: ExactValue | undefined): string => {
  const head = [method, path, essenceOf(headers['content-type'] ?? '')];
  if (!body) return hashOf(...head);
  if (body.bytes) return hashOf(...head, body.bytes);
  return hashOf(...head, toJson(body.value), toJson(body.exact ?? null));
};

const replay = ({ fingerprint, reply }: HeldKey, asked: string): WireReply => {
  if (fingerprint !== asked)
    throw new Problem(DECLARED_PROBLEMS.keyReused, 'this Idempotency-Key belongs to another request');
  if (!reply)
    throw new Problem(DECLARED_PROBLEMS.keyInUse, 'a request with this Idempotency-Key is being served', {
      headers: { 'Retry-After': '1' },
    });
  const { status, headers, payload } = reply;
  return {
    status,
    headers: { ...headers, 'Idempotent-Replayed': 'true' },
    payload: typeof payload === 'string' ? payload : Buffer.from(payload),
  };
};

const toKept = ({ status, headers, payload }: WireReply): KeptReply => {
  if (!isStreamed(payload)) return { status, headers, payload };
  throw new Error('a reply to a request with an Idempotency-Key cannot be streamed: it could not be kept');
};

/** A request that came with a key. */
export interface KeyedRequest {
  readonly head: RequestHead;
  readonly body: ExactValue | undefined;
  /** The name of who sent it. */
  readonly caller: string | undefined;
  readonly operationId: string;
}

/**
 * Serves a request, unless a request with its key was served before: then it returns the kept reply. A reply is kept if
 * it comes from the handler and its status is below 500; otherwise the request may be sent and served again.
 */
export const serveOnce = async (
  store: IdempotencyStore,
  { head, body, caller, operationId }: KeyedRequest,
  serve: () => Promise<WireReply>,
): Promise<WireReply> => {
  const sent = String(head.headers[IDEMPOTENCY_KEY]);
  const key = hashOf(caller === undefined ? '' : `by ${caller}`, operationId, sent);
  const fingerprint = fingerprintOf(head, body);
  const held = await store.claim(key, fingerprint);
  if (held) return replay(held, fingerprint);
  let reply: WireReply;
  let kept: KeptReply;
  try {
    reply = await serve();
    kept = toKept(reply);
  } catch (error) {
    await store.release(key);
    throw error;
  }
  if (reply.status >= 500) await store.release(key);
  else await store.keep(key, kept);
  return reply;
};
