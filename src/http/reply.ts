import type { ServerResponse } from 'node:http';
import type { Reply } from '../contract/handler.ts';
import { Problem } from '../contract/problem.ts';

const JSON_TYPE = 'application/json';

/** A reply as it goes on the wire. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly text: string;
}

/** Writes out a reply: JSON, or nothing where there is no body. */
export const toWire = ({ status, headers, body }: Reply): WireReply => {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type = body === undefined ? {} : { 'Content-Type': JSON_TYPE };
  return { status, text, headers: { ...type, 'Content-Length': Buffer.byteLength(text), ...headers } };
};

/** The Problem that an error is to a client: itself, or an internal error that tells nothing of the inside. */
export const toProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem('internal', 'internal error', { cause: error });

/** Sends a reply. */
export const send = (response: ServerResponse, reply: Reply): void => {
  const { status, headers, text } = toWire(reply);
  response.writeHead(status, headers).end(text);
};
