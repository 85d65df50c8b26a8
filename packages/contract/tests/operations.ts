import type { ExactValue } from '@trellis/openapi/internal/json';
import type { Document } from 'openapi-backend';
import { createBackend } from '../src/backend.ts';
import {
  type ContractOperation,
  compileOperations as compileReplies,
  type ReplyOptions,
} from '../src/operations.ts';
import type { RequestHead } from '../src/parameters/places.ts';
import type { WireReply } from '../src/reply/replies.ts';
import type { Reply } from '../src/reply/reply.ts';
import { requestIn } from '../src/request/validator.ts';

/** A request without its body. The method is not needed once the operation is found. */
export type Head = Omit<RequestHead, 'method'>;

/** Compiles the operations of a document, each with its decoder for requests and its encoder for replies. */
export const compileOperations = async (document: Document, options: ReplyOptions) => {
  const backend = createBackend(document);
  const withRequests = ({ operation, compile }: ContractOperation) => {
    const { operationId: id, method, path, security } = operation;
    const body = backend.bodyOf(operation);
    return {
      id,
      method: method.toUpperCase(),
      path,
      security,
      takesBody: body.mediaTypes.length > 0,
      body,
      encode: (reply: Reply): WireReply => compile().encode(reply),
      /** Returns the request that a handler gets; throws the Problem that a client gets. */
      decode: <T>(head: Head, sent: ExactValue | undefined): T =>
        requestIn<T>(backend.validator.validateRequest({ method, ...head }, operation, sent)),
    };
  };
  return compileReplies(backend, options).map(withRequests);
};

/** An operation of a document, compiled. */
export type CompiledOperation = Awaited<ReturnType<typeof compileOperations>>[number];
