import type { ServerResponse } from 'node:http';
import { Problem } from '../contract/problem.ts';
import type { WireReply } from '../contract/replies.ts';

/** A reply of the service itself, beside the contract: JSON. */
export const jsonReply = (status: number, body: unknown, headers: WireReply['headers'] = {}): WireReply => {
  const payload = JSON.stringify(body);
  return {
    status,
    payload,
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload), ...headers },
  };
};

/** The Problem that an error is to a client: itself, or an internal error that tells nothing of the inside. */
export const toProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem('internal', 'internal error', { cause: error });

/** The reply that tells a client of a problem. */
export const problemReply = ({ status, body, headers }: Problem): WireReply =>
  jsonReply(status, body, headers);

/** Sends a reply. */
export const send = (response: ServerResponse, { status, headers, payload }: WireReply): void => {
  response.writeHead(status, headers).end(payload);
};
